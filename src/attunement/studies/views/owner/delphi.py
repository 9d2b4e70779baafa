"""The owner's pages of a panel: its rounds, each item with what was said, and decisions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from attunement.delphi import Outcome, as_markdown
from attunement.errors import UserError
from attunement.instruments.writing import to_yaml
from attunement.studies.asked import language_name, said
from attunement.studies.config_delphi import Delphi
from attunement.studies.models import Answer, PanelDecision, Stage
from attunement.studies.opened import described, instrument_of, the_study
from attunement.studies.protocols import delphi_deciding as deciding
from attunement.studies.protocols import delphi_questions as ask
from attunement.studies.protocols import delphi_rounds as rounds
from attunement.studies.protocols.delphi_files import written
from attunement.studies.views.owner.access import attempt, owner_page, who
from attunement.studies.views.owner.delphi_rows import Row, facts, result, rows_of

_WHOLE = {
    ask.NEW_ITEMS: "new items",
    ask.NEW_DIMENSIONS: "a new dimension",
    ask.REMARKS: "on the scale as a whole",
}
_KINDS = {ask.COMMENT: "comment", ask.SUGGESTION: "better translation"}
MOST_PARTS = 4
"""Items that one is split into, at most, on the page."""


@require_GET
@owner_page
def panel(request: HttpRequest) -> HttpResponse:
    """Show the rounds, and what the latest leaves."""
    _refuse_others()
    shown = [(stage, _state(stage), *_outcome(stage)) for stage in the_study().stages.all()]
    latest = next((row for row in reversed(shown) if row[2] is not None), None)
    return render(
        request,
        "studies/owner/delphi.html",
        {
            "here": "panel",
            "rounds": shown,
            "latest": None if latest is None else result(latest[0], latest[2]),
            "thresholds": rounds.thresholds(),
            "minimum": rounds.the_protocol().minimum,
        },
    )


@require_GET
@owner_page
def one_round(request: HttpRequest, pk: int) -> HttpResponse:
    """Show every item of a round with what was said and what is proposed."""
    stage = _stage(pk)
    outcome, why = _outcome(stage)
    return render(
        request,
        "studies/owner/delphi_round.html",
        {
            "here": "panel",
            "stage": stage,
            "number": rounds.number_of(stage),
            "why": why,
            "rows": [] if outcome is None else rows_of(stage, outcome),
            "outcome": outcome,
            "added": PanelDecision.objects.filter(stage=stage, item=""),
            "proposals": len(_proposals(stage)),
            "codes": deciding.code_counts(stage),
            "later": rounds.after(stage),
            "frozen": _is_frozen(stage),
        },
    )


@require_http_methods(["GET", "POST"])
@owner_page
def item(request: HttpRequest, pk: int, id: str) -> HttpResponse:
    """Show one item, and record what the owner decides on it."""
    stage = _stage(pk)
    outcome, why = _outcome(stage)
    rows = [] if outcome is None else rows_of(stage, outcome)
    place = next((n for n, row in enumerate(rows) if row.id == id), None)
    if place is None:
        raise Http404(why or "no such item")
    given: QueryDict = request.POST
    if request.method == "POST":
        wanted = _wanted(given, stage, item=id)
        if attempt(
            request,
            lambda: deciding.decide(stage, wanted, by=who(request)),
            f"Your decision on {id} is recorded.",
        ):
            return redirect("owner:panel_item", stage.pk, id)
    row = rows[place]
    comments = [a for a in written(stage) if a.unit_id == id]
    return render(
        request,
        "studies/owner/delphi_item.html",
        {
            "here": "panel",
            "stage": stage,
            "number": rounds.number_of(stage),
            "row": row,
            "facts": facts(row.decision),
            "comments": comments,
            "pairs": [(_KINDS[a.dimension], a) for a in comments],
            "slots": _slots(given, stage, row),
            "given": given,
            "action": given.get("action") or (row.own.action if row.own is not None else ""),
            "reason": given.get("reason", row.own.reason if row.own is not None else ""),
            "rests_on": given.get("rests_on")
            or (str(row.own.rests_on_id or "") if row.own is not None else ""),
            "frozen": _is_frozen(stage),
            "earlier": rows[place - 1] if place else None,
            "next": rows[place + 1] if place + 1 < len(rows) else None,
        },
    )


@require_http_methods(["GET", "POST"])
@owner_page
def proposals(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what the panel proposes, and add items."""
    stage = _stage(pk)
    given: QueryDict = request.POST
    instrument = instrument_of(stage)
    parts = {part.id: said(part.label) for part in rounds.parts_of(instrument)}
    if request.method == "POST":
        wanted = _wanted(given, stage)
        if attempt(
            request,
            lambda: deciding.decide(stage, wanted, by=who(request)),
            f"The item is added to {parts.get(wanted.dimension) or wanted.dimension}.",
        ):
            return redirect("owner:panel_proposals", stage.pk)
    added = PanelDecision.objects.filter(stage=stage, item="")
    parts.update((row.dimension, said(row.label)) for row in added if row.label)
    texts = [(parts.get(_part(a)) or _WHOLE[a.dimension], a) for a in _proposals(stage)]
    return render(
        request,
        "studies/owner/delphi_proposals.html",
        {
            "here": "panel",
            "stage": stage,
            "number": rounds.number_of(stage),
            "texts": texts,
            "comments": [a for _, a in texts],
            "parts": parts,
            "labels": _boxes(given, "label", instrument.languages),
            "wordings": _boxes(given, "wording-1", instrument.languages),
            "id": given.get("id-1", ""),
            "added": [(parts[row.dimension], row) for row in added],
            "given": given,
            "frozen": _is_frozen(stage),
        },
    )


@require_POST
@owner_page
def codes(request: HttpRequest, pk: int) -> HttpResponse:
    """Record codes of comments or proposals."""
    stage = _stage(pk)
    keys = [key for key in map(_number, request.POST.getlist("text")) if key is not None]
    hidden = set(request.POST.getlist("hidden"))
    shown_hidden = set(request.POST.getlist("shown-hidden"))
    given = {
        key: now
        for key in keys
        for now in [(request.POST.get(f"codes-{key}", ""), str(key) in hidden)]
        # What this form leaves as it was may have been changed in another tab
        if now != (request.POST.get(f"shown-{key}"), str(key) in shown_hidden)
    }
    changed = deciding.code(stage, given, by=who(request))
    messages.success(request, f"the codes of {changed} text{'' if changed == 1 else 's'} changed.")
    id = request.POST.get("item", "")
    if id in {d.id for d in instrument_of(stage).dimensions}:
        return redirect("owner:panel_item", stage.pk, id)
    return redirect("owner:panel_proposals", stage.pk)


@require_POST
@owner_page
def take_back(request: HttpRequest, pk: int) -> HttpResponse:
    """Take a decision back."""
    row = PanelDecision.objects.select_related("stage").filter(pk=pk).first()
    if row is None:
        messages.error(request, "that decision does not stand any more.")
        return redirect("owner:panel")
    attempt(
        request,
        lambda: deciding.take_back(row, by=who(request)),
        "The decision is taken back.",
    )
    if row.item:
        return redirect("owner:panel_item", row.stage_id, row.item)
    return redirect("owner:panel_proposals", row.stage_id)


@require_GET
@owner_page
def download(request: HttpRequest, pk: int, what: str) -> HttpResponse:
    """Return the instrument that a round leaves, or its decision log, as a file."""
    stage = _stage(pk)
    outcome, _ = _outcome(stage)
    if outcome is None or what not in ("instrument.yaml", "decisions.md"):
        raise Http404
    try:
        text = (
            as_markdown(outcome)
            if what == "decisions.md"
            else to_yaml(rounds.revised(stage, outcome))
        )
    except UserError as error:
        messages.error(request, str(error))
        return redirect("owner:panel")
    kind = "text/markdown" if what == "decisions.md" else "application/yaml"
    name = f"{stage.key}-{what}"
    return HttpResponse(
        text,
        content_type=f"{kind}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def _refuse_others() -> None:
    if not isinstance(described().protocol, Delphi):
        raise Http404


def _stage(pk: int) -> Stage:
    _refuse_others()
    return get_object_or_404(Stage.objects.exclude(opened_at=None), pk=pk)


def _state(stage: Stage) -> str:
    if stage.closed_at is not None:
        return "closed"
    return "open" if stage.opened_at is not None else "not opened"


def _is_frozen(stage: Stage) -> bool:
    later = rounds.after(stage)
    return later is not None and later.opened_at is not None


def _outcome(stage: Stage) -> tuple[Outcome | None, str]:
    if stage.opened_at is None:
        return None, "It has not been opened."
    try:
        return rounds.outcome_of(stage), ""
    except UserError as error:
        return None, str(error)


def _proposals(stage: Stage) -> list[Answer]:
    return [a for a in written(stage) if a.dimension in ask.PROPOSALS]


def _part(answer: Answer) -> str:
    return str(answer.assignment.prefill.get("part", ""))


def _wanted(given: QueryDict, stage: Stage, item: str = "") -> deciding.Wanted:
    """Read a decision from a form."""
    action = given.get("action", "") if item else "add"
    languages = instrument_of(stage).languages
    slots = {"modify": 1, "split": MOST_PARTS, "add": 1}.get(action, 0)
    into = [
        (
            given.get(f"id-{n}", "").strip() if action != "modify" else item,
            {code: given.get(f"wording-{n}-{code}", "").strip() for code in languages},
        )
        for n in range(1, slots + 1)
    ]
    key, seen = given.get("rests_on", ""), given.get("seen", "")
    new = given.get("new_dimension", "").strip().lower()
    return deciding.Wanted(
        action=action,
        reason=given.get("reason", ""),
        item=item,
        dimension="" if item else new or given.get("dimension", ""),
        label={code: given.get(f"label-{code}", "") for code in languages},
        into=[(id, wording) for id, wording in into if any(wording.values())],
        rests_on=_number(key),
        seen=_number(seen),
    )


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def _boxes(given: QueryDict, name: str, languages: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return a text's box in each language: its code, its name, and what was sent."""
    return [(c, language_name(c), given.get(f"{name}-{c}", "")) for c in languages]


def _slots(given: QueryDict, stage: Stage, row: Row) -> list[dict[str, Any]]:
    """Return the boxes for new wordings, filled in with what was sent, decided, or stands."""
    languages = instrument_of(stage).languages
    stands = instrument_of(stage).dimension(row.id).wording
    into = row.own.into if row.own is not None else []
    found = []
    for n in range(1, MOST_PARTS + 1):
        new = into[n - 1] if n <= len(into) else {}
        old = new.get("wording") or (stands if n == 1 else {})
        texts = [
            (c, language_name(c), given.get(f"wording-{n}-{c}", old.get(c, ""))) for c in languages
        ]
        found.append({"n": n, "id": given.get(f"id-{n}", ""), "texts": texts})
    return found
