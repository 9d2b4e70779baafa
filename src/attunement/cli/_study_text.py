"""What the study commands say."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from attunement.cli._common import console, out
from attunement.cli._plain import plain

if TYPE_CHECKING:
    from attunement.studies.checking import Found
    from attunement.studies.design import Design, Range
    from attunement.studies.status import Status


def show_problems(file: Path, found: Found) -> None:
    """Print what is wrong and what should be thought about."""
    from rich.text import Text

    for kind, style, said in (
        ("problem", "red", found.problems),
        ("warning", "yellow", found.warnings),
    ):
        for line in said:
            out().print(Text.assemble((f"{kind}: ", style), plain(line)), soft_wrap=True)
    count = len(found.problems)
    verdict = "1 problem" if count == 1 else f"{count} problems" if count else "nothing wrong"
    console().print(f"{file}: {verdict}.", markup=False)


def show_check(file: Path, found: Found, design: Design | None) -> None:
    """Print what is wrong, and what the study asks of people."""
    from rich.table import Table

    if design is not None:
        table = Table(show_header=False, title=plain(found.study and found.study.id))
        table.title_justify = "left"
        table.add_column()
        table.add_column(justify="right")
        table.add_row("participants", str(design.participants))
        table.add_row("stages", ", ".join(design.stages))
        if design.items:
            table.add_row("items, answers", f"{design.items}, {design.answers}")
            table.add_row("raters an item", _range(design.raters_an_item))
            table.add_row("items a rater", _range(design.items_a_rater))
        pages = _range(design.pages)
        if design.screens != design.pages:
            # What participants read is "Page 3 of 25": a screen, where a page has several
            pages += f", on {_range(design.screens)} screens"
        table.add_row("pages a participant", pages)
        table.add_row("questions a participant", _range(design.questions))
        table.add_row("minutes a participant, about", _range(design.minutes))
        out().print(table)
        console().print(
            "Of the first stage. Minutes: reading at 238 words a minute and 8 seconds a question; "
            "conversations and writing come on top."
        )
    show_problems(file, found)


def show_made(folder: Path, found: Found, password: str | None) -> None:
    """Print what was made, the password once, and what to do next."""
    from attunement.studies.models import Stage

    later = Stage.objects.filter(opened_at=None).order_by("position").values_list("key", flat=True)
    show = console()
    for line in found.warnings:
        show.print(plain(f"warning: {line}", "yellow"))
    show.print(f"Made {folder}. Its first stage is open.", markup=False)
    if password is not None:
        # Standard output, so that it can be piped into a safe place and nowhere else
        out().print(f"owner's password: {password}", markup=False)
        show.print("Log in as 'owner' with it. It is shown this once, and stored as a hash only.")
    else:
        show.print("Log in as 'owner' with the password of your file.")
    show.print("Next:")
    for line in (
        f"attunement study serve {folder}",
        f"attunement study invite {folder} --base-url https://YOUR-ADDRESS --out links.csv",
        f"attunement study status {folder}",
        *(f"attunement study open-stage {folder} {stage}" for stage in later),
        f"attunement study export {folder} --out results",
    ):
        show.print(f"  {line}", markup=False)


def show_status(status: Status) -> None:
    """Print how a study stands."""
    from rich.table import Table

    table = Table(title=plain(f"{status.study}: {status.state}"), title_justify="left")
    table.add_column("stage")
    table.add_column("state")
    for name in ("wanted", "begun", "complete", "items complete"):
        table.add_column(name, justify="right")
    for stage in status.stages:
        pages = (str(n) for n in (stage.wanted, stage.begun, stage.complete))
        items = f"{stage.items_complete} of {stage.items}" if stage.items else "-"
        table.add_row(plain(stage.key), stage.state, *pages, items)
    out().print(table)
    people = [f"{n} {state}" for state, n in status.participants.items() if n]
    for stage in status.stages:
        if stage.short:
            said = f"{stage.key}: short of {stage.short} of these: whoever had them left."
            if stage.state == "open":
                said += " Their places can be given to somebody else, on the owner's page of each."
            out().print(said, markup=False)
    out().print(f"participants: {', '.join(people) or 'none'}")
    last = status.last_save.strftime("%Y-%m-%d %H:%M UTC") if status.last_save else "never"
    out().print(f"saves: {status.saves}, last {last}")
    for one in status.replies:
        said = f"replies of {one.bot}: {one.done}, and {one.failed} that failed"
        out().print(plain(f"{said}, last: {one.error}" if one.error else said))
    if status.closes is not None:
        out().print(f"last day: {status.closes}")


def write_private(file: Path, text: str) -> None:
    """Write a new file that only its owner can read."""
    file.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8", newline="") as target:
        target.write(text)


def _range(numbers: Range) -> str:
    least, most = (f"{n:.0f}" for n in numbers)
    return least if least == most else f"{least} to {most}"
