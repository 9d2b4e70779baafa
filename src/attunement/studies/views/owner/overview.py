"""The overview: stages, how far the work is, and the audit log."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from attunement.errors import UserError
from attunement.studies import closing, coverage, flow, opening
from attunement.studies.charts import PICTURE_WIDTH, Square, height_of, squares
from attunement.studies.coverage import Covered
from attunement.studies.models import Event, Participant, Stage
from attunement.studies.opened import described, the_study
from attunement.studies.reminders import due
from attunement.studies.status import replies
from attunement.studies.views.owner.access import attempt, owner_page, who
from attunement.studies.views.owner.confirming import Question, ask


@dataclass(frozen=True)
class StageShown:
    """A stage with its coverage, as pages show it."""

    stage: Stage
    total: Covered
    items: list[Covered]
    squares: list[Square]

    @property
    def height(self) -> int:
        """Of the picture of the squares."""
        return height_of(len(self.squares))


def stages_shown() -> list[StageShown]:
    """Return the stages in their order with their coverage."""
    found = []
    for stage in the_study().stages.all():
        items = coverage.by_item(stage)
        found.append(StageShown(stage, coverage.overall(stage, items), items, squares(items)))
    return found


@require_GET
@owner_page
def overview(request: HttpRequest) -> HttpResponse:
    """Show where the study stands."""
    file = described()
    people = Participant.objects.all()
    return render(
        request,
        "studies/owner/overview.html",
        {
            "here": "overview",
            "stages": stages_shown(),
            "closed": flow.is_closed(),
            "people": people.count(),
            "started": people.exclude(started_at=None).count(),
            "finished": people.exclude(finished_at=None).count(),
            "withdrawn": people.exclude(withdrawn_at=None).count(),
            "due": due(file.remind_after_days),
            "replies": replies(),
            "now": timezone.now(),
        },
    )


@require_GET
@owner_page
def coverage_page(request: HttpRequest) -> HttpResponse:
    """Show the coverage of every item and participant; of htmx the part that changes."""
    part = "_coverage" if getattr(request, "htmx", False) else "coverage"
    return render(
        request,
        f"studies/owner/{part}.html",
        {
            "here": "coverage",
            "stages": stages_shown(),
            "progress": coverage.by_participant(),
            "picture_width": PICTURE_WIDTH,
            "now": timezone.now(),
        },
    )


@require_POST
@owner_page
def open_stage(request: HttpRequest, pk: int) -> HttpResponse:
    """Open a stage, once those before it are open."""
    stage = get_object_or_404(Stage, pk=pk)
    attempt(
        request,
        lambda: opening.open_stage(stage, by=who(request)),
        f"The stage {stage.key} is open, and what raters see of it is frozen.",
    )
    return redirect("owner:overview")


@require_http_methods(["GET", "POST"])
@owner_page
def close_stage(request: HttpRequest, pk: int) -> HttpResponse:
    """Close a stage, after asking."""
    stage = get_object_or_404(Stage, pk=pk)
    question = Question(
        f"Close the stage {stage.key}?",
        "Its pages are not shown to anybody any more, half done ones included. What was answered "
        "stays. A closed stage cannot be opened again.",
        "Close the stage",
    )
    return ask(
        request,
        question,
        lambda: closing.close_stage(stage, by=who(request)),
        f"The stage {stage.key} is closed.",
        back="owner:overview",
    )


@require_http_methods(["GET", "POST"])
@owner_page
def close_study(request: HttpRequest) -> HttpResponse:
    """Close the study, after asking."""
    question = Question(
        "Close the study?",
        "Whoever has not finished can do nothing more, and reads that the study is over. What was "
        "answered stays. You can open it again.",
        "Close the study",
    )
    return ask(
        request,
        question,
        lambda: closing.close_study(the_study(), by=who(request)),
        "The study is closed.",
        back="owner:overview",
    )


@require_POST
@owner_page
def set_last_day(request: HttpRequest) -> HttpResponse:
    """Move the last day, or take it away."""
    given = request.POST.get("last_day", "").strip()

    def change() -> None:
        try:
            day = date.fromisoformat(given) if given else None
        except ValueError:
            raise UserError(f"{given!r} is no date.", fix="Write it as 2027-01-31.") from None
        closing.set_last_day(the_study(), day, by=who(request))

    done = f"Answers are taken until the end of {given}." if given else "There is no closing date."
    attempt(request, change, done)
    return redirect("owner:overview")


@require_POST
@owner_page
def reopen_study(request: HttpRequest) -> HttpResponse:
    """Take answers again."""
    attempt(
        request,
        lambda: closing.reopen_study(the_study(), by=who(request)),
        "The study takes answers again.",
    )
    return redirect("owner:overview")


@require_GET
@owner_page
def log_page(request: HttpRequest) -> HttpResponse:
    """Show the audit log, the latest first."""
    page = Paginator(Event.objects.all(), 100).get_page(request.GET.get("page"))
    return render(request, "studies/owner/log.html", {"here": "log", "page": page})
