"""What is not wrong with a study, and yet should be thought about before it begins."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import urlsplit

from attunement.errors import UserError
from attunement.instruments import Instrument
from attunement.loopback import is_loopback
from attunement.studies.chat.endpoint import ReplyFailed, is_there
from attunement.studies.config import LOCAL, Bot, ChatThenRate, Rate, StudyFile, study_instrument
from attunement.studies.support import COUNTRIES

MEMORY = ("memory", "memoria")
"""Words in the name of a subscale, or of a question, that is about earlier conversations."""


def warnings_of(study: StudyFile, folder: Path) -> list[str]:
    """Return warnings about a study, each with what can be done.

    Parameters
    ----------
    study
        What its file says.
    folder
        Where the file lies. Nothing is asked of any network.

    Raises
    ------
    UserError
        Where the instrument cannot be read.

    """
    protocol = study.protocol
    if not isinstance(protocol, ChatThenRate):
        return []
    instrument = study_instrument(study, folder)
    said = [*_about_memory(protocol, instrument), *_about_unit(instrument)]
    for name, bot in protocol.bots.items():
        said += _about_bot(name, bot)
    return said


def unreachable(study: StudyFile) -> list[str]:
    """Ask each chatbot of a study whether it is there, and say of which it cannot be seen."""
    protocol = study.protocol
    bots = protocol.bots if isinstance(protocol, ChatThenRate) else {}
    return [line for name, bot in bots.items() for line in _about_reach(name, bot)]


def sizes(study: StudyFile, items: int) -> list[str]:
    """Return warnings about what a study's file asks for and cannot get.

    ``items`` is how many main items the study has.
    """
    said = []
    protocol = study.protocol
    if isinstance(protocol, Rate) and (protocol.items_per_rater or 0) > items:
        said.append(
            f"items_per_rater is {protocol.items_per_rater}, and there are {items} items: each "
            "rater gets all of them."
        )
    if study.country is not None and study.country not in COUNTRIES:
        said.append(
            f"country: no support lines are known of {study.country}, so that none of its own come "
            f"first. Known: {', '.join(COUNTRIES)}."
        )
    return said


def memory_dimensions(instrument: Instrument) -> list[str]:
    """Return the questions about what a chatbot remembers of earlier conversations, by id.

    They are known by their names: dimensions that are called memory, or whose subscale is.
    """
    found = {
        id
        for subscale in instrument.subscales
        if _speaks_of_memory(subscale.label)
        for id in subscale.dimensions
    }
    return [d.id for d in instrument.dimensions if d.id in found or _speaks_of_memory(d.label)]


def _speaks_of_memory(label: dict[str, str]) -> bool:
    return any(word in text.lower().split() for text in label.values() for word in MEMORY)


def _about_memory(protocol: ChatThenRate, instrument: Instrument) -> list[str]:
    asked = memory_dimensions(instrument)
    if not asked:
        return []
    ids = ", ".join(asked)
    offered = all(instrument.dimension(id).scale.not_applicable for id in asked)
    way = (
        'They offer "does not apply": expect many to choose it.'
        if offered
        else f'Offer "does not apply" with not_applicable: [{ids}] under protocol.'
    )
    if protocol.sessions == 1:
        return [
            f"{ids} of {instrument.name} ask what the chatbot remembers of earlier conversations, "
            f"and there is one: nobody can know. Have sessions: 2 or more, with memory: kept. {way}"
        ]
    if protocol.memory == "fresh":
        return [
            f"{ids} of {instrument.name} ask what the chatbot remembers of earlier conversations, "
            f"and memory is fresh: it is sent nothing of them. Set memory: kept. {way}"
        ]
    return []


def _about_unit(instrument: Instrument) -> list[str]:
    if instrument.unit in ("session", "conversation"):
        return []
    return [
        f"{instrument.name} asks about one {instrument.unit}, and participants will answer it "
        "about whole conversations. Choose an instrument with the unit session."
    ]


def _about_bot(name: str, bot: Bot) -> list[str]:
    said = []
    if bot.model == LOCAL:
        said.append(
            f"the bot {name!r} is the embedded model, of demonstration quality: never let people "
            "in distress talk to it."
        )
    elif bot.base_url is not None and not is_loopback(bot.base_url):
        host = urlsplit(bot.base_url).hostname
        said.append(
            f"what participants write to the bot {name!r} leaves this machine for {host}: texts "
            "of people in distress. Say so in the consent, or run the model on this machine."
        )
        if bot.base_url.startswith("http://"):
            said.append(f"the bot {name!r} is reached without encryption. Use an https address.")
    if bot.api_key_env is not None and not os.environ.get(bot.api_key_env):
        said.append(
            f"the environment variable {bot.api_key_env}, which holds the key of the bot "
            f"{name!r}, is not set: set it where the study is served."
        )
    return said


def _about_reach(name: str, bot: Bot) -> list[str]:
    try:
        if is_there(bot):
            return []
    except (ReplyFailed, UserError) as error:
        return [f"the bot {name!r} cannot be asked: {error}."]
    return [f"nothing answers for the bot {name!r} at {bot.base_url}. Is its server running?"]
