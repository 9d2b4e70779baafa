"""Who is due a reminder. Nothing is sent: the owner gets words to send from their own account."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import quote

from django.utils import timezone

from attunement.studies.audit import log
from attunement.studies.links import alive
from attunement.studies.models import Participant


@dataclass(frozen=True)
class Due:
    """Somebody who was not seen for long enough.

    Parameters
    ----------
    participant
        Who.
    since
        When they were last invited, seen or reminded.
    days
        Whole days since.

    """

    participant: Participant
    since: datetime
    days: int


def due(after_days: int, *, now: datetime | None = None) -> list[Due]:
    """Return who was invited, or has started, and was neither seen nor reminded for some days.

    Parameters
    ----------
    after_days
        How many, at least.
    now
        The time to count from; by default now.

    """
    at = now or timezone.now()
    found = []
    for person in alive().filter(finished_at=None).order_by("code"):
        times = [person.invited_at, person.started_at, person.last_seen_at, person.reminded_at]
        known = [time for time in times if time is not None]
        if known and at - max(known) >= timedelta(days=after_days):
            found.append(Due(person, max(known), (at - max(known)).days))
    return found


def mark_reminded(participant: Participant, *, by: str) -> None:
    """Note that somebody was reminded now."""
    participant.reminded_at = timezone.now()
    participant.save(update_fields=["reminded_at"])
    log(by, "reminded", participant=participant.code)


def mailto(address: str, subject: str, body: str) -> str:
    """Return a link that opens a message in the owner's mail program; nothing is sent by itself.

    >>> mailto("a@example.org", "A & B", "Hello")
    'mailto:a@example.org?subject=A%20%26%20B&body=Hello'
    """
    return f"mailto:{quote(address, safe='@')}?subject={quote(subject)}&body={quote(body)}"


WORDS = {
    "en": (
        "Your part in: {title}",
        "Hello,\n\nthank you for taking part in {title!s}. Your answers so far are saved, and you "
        "can go on where you stopped, with your personal link:\n\n{link}\n\nPlease do not pass it "
        "on. If you would rather not go on, you do not have to: you can stop or withdraw there at "
        "any time.\n\nQuestions: {contact}\n",
    ),
    "it": (
        "La Sua partecipazione a: {title}",
        "Buongiorno,\n\ngrazie per la Sua partecipazione a {title!s}. Le risposte date finora sono "
        "salvate e può riprendere da dove ha interrotto, con il Suo link personale:\n\n{link}\n\n"
        "La preghiamo di non inoltrarlo. Se preferisce non continuare, non è tenuto a farlo: può "
        "interrompere o ritirarsi in qualsiasi momento dalla stessa pagina.\n\n"
        "Domande: {contact}\n",
    ),
}
"""Subject and text of a reminder, by language."""


def reminder(language: str, *, title: str, link: str, contact: str) -> tuple[str, str]:
    """Return subject and text of a reminder."""
    subject, body = WORDS.get(language, WORDS["en"])
    return subject.format(title=title), body.format(title=title, link=link, contact=contact)
