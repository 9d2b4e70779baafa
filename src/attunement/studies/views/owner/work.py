"""How the work is done: speed, flags, agreement, and where raters differ."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from attunement.instruments.form import build_form, render_form
from attunement.studies import adjudication, timing
from attunement.studies.agreement import agreement_so_far
from attunement.studies.asked import LANGUAGE, dimensions_of, said
from attunement.studies.charts import interval_of
from attunement.studies.flags import FEWEST_RATERS, flags, limits_of
from attunement.studies.models import Answer, Stage
from attunement.studies.opened import described, the_study
from attunement.studies.saving import posted_of
from attunement.studies.views.owner.access import owner_page, who

A_PAGE = 50
ALONE = {"chat-then-rate": "conversations", "write": "questions"}
"""Protocols in which nobody answers about what somebody else does: what each has alone."""
LEAST = ("1", "2", "3", "4")
"""Points from which ordered answers can be said to differ."""


@require_GET
@owner_page
def raters(request: HttpRequest) -> HttpResponse:
    """Show speed and flags of every rater, and the speed on every item."""
    study = described()
    pages = timing.done_pages()
    asked = {stage.pk: dimensions_of(stage) for stage in the_study().stages.all()}
    parts = timing.by_part(pages)
    limits = limits_of(pages, study)
    own: dict[str, list[tuple[str, timing.Spread]]] = {}
    for part, of_it in parts.items():
        for spread in timing.by_rater(of_it):
            own.setdefault(spread.name, []).append((part, spread))
    seen = {f.code: f for f in flags(pages, study, asked)}
    return render(
        request,
        "studies/owner/raters.html",
        {
            "here": "raters",
            "rows": [
                (spread, seen[spread.name], own.get(spread.name, []))
                for spread in timing.by_rater(pages)
            ],
            "parts": [
                (part, timing.in_all(of_it), limits[part], timing.by_item(of_it))
                for part, of_it in parts.items()
            ],
            "limited": any(limit is not None for limit in limits.values()),
            "own_limit": study.too_fast_s is not None,
            "fewest": FEWEST_RATERS,
        },
    )


@require_GET
@owner_page
def agreement(request: HttpRequest) -> HttpResponse:
    """Show the agreement on each question so far."""
    shown: list[tuple[Stage, list[Any]]] = []
    alone = ALONE.get(described().protocol.type)
    for stage in the_study().stages.exclude(opened_at=None):
        if alone is not None:
            shown.append((stage, []))
            continue
        labels = {id: said(d.label) for id, d in dimensions_of(stage).items()}
        rows = []
        for result in agreement_so_far(stage):
            id = result.group["dimension"]
            rows.append((labels.get(id, id), result, interval_of(result)))
        shown.append((stage, rows))
    context = {"here": "agreement", "stages": shown, "alone": alone}
    return render(request, "studies/owner/agreement.html", context)


@require_GET
@owner_page
def differing(request: HttpRequest) -> HttpResponse:
    """List the units and questions on which raters differ."""
    given = request.GET.get("least", "")
    least = int(given) if given in LEAST else int(adjudication.FAR)
    found, earlier = [], []
    for stage in the_study().stages.exclude(opened_at=None):
        own = adjudication.differences(stage, least)
        found += own
        earlier += adjudication.settled_earlier(stage, own)
    unsettled = request.GET.get("open") == "1"
    shown = [d for d in found if d.settled is None] if unsettled else found
    page = Paginator(shown, A_PAGE).get_page(request.GET.get("page"))
    told = adjudication.told_of(list(page))
    rows = [
        (number, d, said(d.dimension.label), t)
        for number, (d, t) in enumerate(zip(page, told, strict=True), page.start_index())
    ]
    return render(
        request,
        "studies/owner/differing.html",
        {
            "here": "differing",
            "page": page,
            "rows": rows,
            "n": len(found),
            "settled": sum(d.settled is not None for d in found),
            "unsettled": unsettled,
            "earlier": earlier,
            "least": least,
            "choices": [int(one) for one in LEAST],
            "more": f"&least={least}" + ("&open=1" if unsettled else ""),
        },
    )


@require_http_methods(["GET", "POST"])
@owner_page
def adjudicate(request: HttpRequest, stage_pk: int, pk: int) -> HttpResponse:
    """Show the ratings of one unit and question, and record what is settled on."""
    stage = get_object_or_404(Stage, pk=stage_pk)
    answer = get_object_or_404(
        Answer.objects.select_related("assignment__participant", "assignment__item"),
        pk=pk,
        assignment__stage=stage,
        assignment__kind="main",
    )
    difference = adjudication.difference_of(stage, answer)
    if not difference.answers:
        raise Http404
    wrong = None
    if request.method == "POST":
        wrong = adjudication.settle(
            difference,
            dict(request.POST.lists()),
            note=request.POST.get("note", ""),
            by=who(request),
        )
        if wrong is None:
            messages.success(request, "The consensus is recorded. The ratings stay as they are.")
            return redirect("owner:differing")
    unit = adjudication.consensus_dimension(difference)
    settled = difference.settled
    values: dict[str, list[str]] = {}
    if settled is not None:
        stored = Answer(
            dimension=settled.dimension,
            value=settled.value,
            labels=settled.labels,
            status=settled.status,
        )
        values = posted_of(stored, unit)
    language = LANGUAGE if LANGUAGE in unit.instrument.languages else unit.instrument.language
    turns, text = adjudication.text_of(answer)
    return render(
        request,
        "studies/owner/adjudicate.html",
        {
            "here": "differing",
            "difference": difference,
            "label": said(difference.dimension.label),
            "wording": said(difference.dimension.wording),
            "turns": turns,
            "text": text,
            "ratings": adjudication.shown(difference),
            "settled_words": adjudication.settled_words(difference),
            "form": render_form(build_form(unit.instrument, language), prefix="c-", values=values),
            "wrong": wrong,
            "note": request.POST.get("note", settled.note if settled is not None else ""),
        },
    )
