"""``attunement study``: studies in which people rate, choose, chat or write, in a web app."""

from __future__ import annotations

from pathlib import Path

import typer

from attunement.cli._common import EXIT_PROBLEMS, console, out, print_json, progress
from attunement.cli._options import JSON
from attunement.cli._plain import plain
from attunement.cli._study_folder import friendly
from attunement.errors import UserError

app = typer.Typer(
    help="Run a study with people: rate answers, choose among them, chat, or write questions.",
    no_args_is_help=True,
)

FOLDER = typer.Argument(help="The study's folder, as 'attunement study new' made it.")
BASE_URL = typer.Option(
    None,
    "--base-url",
    help="The address that participants use, such as https://study.example.org.",
)


@app.command("example")
@friendly
def example(
    protocol: str = typer.Argument(
        help="rate, filter-choose-annotate, chat-then-rate, write or delphi.", metavar="PROTOCOL"
    ),
    file: Path | None = typer.Option(
        None, "--out", help="Write it to this file; without it, it is printed."
    ),
) -> None:
    """Print an annotated study file of a protocol, to begin with."""
    from attunement.studies.demo import example as text_of

    text = text_of(protocol)
    if file is None:
        typer.echo(text, nl=False)
        return
    if file.exists():
        raise UserError("there is a file already.", where=str(file), fix="Name another.")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    console().print(f"wrote {file}", markup=False)


@app.command("check")
@friendly
def check(
    file: Path = typer.Argument(help="The study file.", metavar="STUDY"),
    reach: bool = typer.Option(
        False, "--reach", help="Also see whether the chatbots under test can be reached."
    ),
    as_json: bool = JSON,
) -> None:
    """Say everything that is wrong with a study, and how much it asks of whom.

    Exit code 0 when it can begin, 1 when it cannot. Nothing is made or changed.
    """
    from attunement.cli._study_new import check as look
    from attunement.cli._study_text import show_check

    found, design = look(file, reach=reach)
    if as_json:
        print_json(
            [],
            ok=not found.problems,
            problems=found.problems,
            warnings=found.warnings,
            design=design and design.as_json(),
        )
    else:
        show_check(file, found, design)
    if found.problems:
        raise typer.Exit(EXIT_PROBLEMS)


@app.command("new")
@friendly
def new(
    file: Path = typer.Argument(help="The study file.", metavar="STUDY"),
    folder: Path | None = typer.Option(
        None, "--out", help="The study's folder; by default one named like the study."
    ),
    password_file: Path | None = typer.Option(
        None,
        "--password-file",
        help="File whose first line is the owner's password; without it one is drawn and printed.",
    ),
) -> None:
    """Make a study from its file, open its first stage and make the owner's account.

    From then on nothing that raters see can change: items, answers and instrument are in the
    study's database, a SQLite file in the folder, or the one that DATABASE_URL names.
    """
    from attunement.cli._study_folder import read_password
    from attunement.cli._study_new import make
    from attunement.cli._study_text import show_made, show_problems
    from attunement.studies.checking import check_files

    given = read_password(password_file)
    found = check_files(file)
    if found.problems or found.study is None:
        show_problems(file, found)
        raise typer.Exit(EXIT_PROBLEMS)
    made = folder or Path(found.study.id)
    password = make(file, made, password=given)
    show_made(made, found, None if given is not None else password)


@app.command("serve")
@friendly
def serve(
    folder: Path | None = typer.Argument(
        None, help="The study's folder; with --demo it may be left out."
    ),
    host: str = typer.Option(
        "127.0.0.1", "--host", help="Where to listen; 0.0.0.0 lets other machines in."
    ),
    port: int = typer.Option(8000, "--port", min=1, max=65535, help="The port to listen on."),
    base_url: str | None = BASE_URL,
    proxy: str = typer.Option(
        "127.0.0.1", "--proxy", help="Where the proxy that speaks HTTPS connects from."
    ),
    demo: bool = typer.Option(
        False, "--demo", help="Make a study on the bundled sample and serve it."
    ),
    protocol: str = typer.Option(
        "rate",
        "--protocol",
        help="Of the demonstration: rate, filter-choose-annotate, chat-then-rate, write, delphi, "
        "or all, on this port and the four that follow.",
    ),
) -> None:
    """Serve a study until Ctrl-C; saves that are under way are finished first."""
    from attunement.cli._study_demo import beside, make_demo
    from attunement.cli._study_serve import ended_in_order, run

    if folder is None and not demo:
        raise UserError(
            "no study is named.", fix="Name its folder, or try: attunement study serve --demo."
        )
    with ended_in_order():
        if not demo and folder is not None:
            run(folder, host, port, base_url, proxy)
            return
        with beside(folder, protocol, host, port) as own:
            run(make_demo(folder, own), host, port, base_url, proxy)


@app.command("invite")
@friendly
def invite(
    folder: Path = FOLDER,
    count: int | None = typer.Option(
        None, "-n", min=1, help="So many of the free places; without it all of them."
    ),
    addresses: Path | None = typer.Option(
        None, "--addresses", help="File with one e-mail address a line: a place for each."
    ),
    again: bool = typer.Option(
        False, "--again", help="Give the links of those who were invited before; invite nobody."
    ),
    base_url: str | None = BASE_URL,
    file: Path | None = typer.Option(
        None, "--out", help="Write the table to this file, which only you can read."
    ),
) -> None:
    """Give the next free places personal links: a CSV table of code, address and link.

    Nothing is sent. Whoever has a link takes part as that person: send each to one person only.
    """
    from attunement.cli._study_folder import open_folder
    from attunement.cli._study_invite import invite as invite_people
    from attunement.cli._study_invite import link_table
    from attunement.cli._study_serve import address
    from attunement.cli._study_text import write_private

    if (count is not None) + (addresses is not None) + again > 1:
        raise UserError("-n, --addresses and --again exclude each other.", fix="Give one of them.")
    if file is not None and file.exists():
        raise UserError("there is a file already.", where=str(file), fix="Name another --out.")
    open_folder(folder)
    table = link_table(
        invite_people(count, addresses, again=again), base_url or address("127.0.0.1", 8000)
    )
    if file is None:
        typer.echo(table, nl=False)
    else:
        write_private(file, table)
        console().print(f"wrote {file}", markup=False)
    if base_url is None:
        console().print(
            "These links lead to this machine, port 8000; --base-url names another address or port."
        )


@app.command("status")
@friendly
def status(
    folder: Path = FOLDER,
    as_json: bool = JSON,
) -> None:
    """Say how far a study is: its participants by state, and the coverage of each stage."""
    from attunement.cli._study_folder import open_folder
    from attunement.cli._study_text import show_status

    study = open_folder(folder)
    from attunement.studies.status import status_of

    found = status_of(study)
    if as_json:
        print_json([], status=found.as_json())
    else:
        show_status(found)


@app.command("export")
@friendly
def export(
    folder: Path = FOLDER,
    target: Path = typer.Option(
        ..., "--out", help="Folder for the tables; an earlier export in it is replaced."
    ),
    csv: bool = typer.Option(
        False, "--csv", help="Also write each table as CSV, safe to open in a spreadsheet."
    ),
) -> None:
    """Write ratings, history, raters, items, responses and codebook; people stay codes.

    Raters can go on meanwhile. The folder is a run folder: agreement, counselbench eval,
    compare-judges, analyze and report read it as it is.
    """
    from attunement.cli._study_folder import open_folder

    open_folder(folder)
    from attunement.studies.export import export_study

    with progress("rows written") as advance:
        done = export_study(target, csv=csv, advance=advance)
    for name, rows in done.rows.items():
        console().print(f"{name}: {rows} rows", markup=False)
    if done.lost:
        note = f"The ratings by {', '.join(done.lost)} that were here before are not in it: "
        again = "run 'attunement judge' on it again. Calls that are kept in it are not repeated."
        console().print(plain(note + again))
    out().print(str(target), soft_wrap=True, markup=False)


@app.command("open-stage")
@friendly
def open_stage(
    folder: Path = FOLDER,
    stage: str = typer.Argument(help="The stage, as 'attunement study status' names it."),
) -> None:
    """Open a later stage: freeze what it asks and say who gets what."""
    from attunement.cli._study_folder import BY, open_folder

    study = open_folder(folder)
    from attunement.errors import nearest
    from attunement.studies.opening import open_stage as open_it

    found = study.stages.filter(key=stage).first()
    if found is None:
        keys = list(study.stages.values_list("key", flat=True))
        guess = nearest(stage, keys)
        raise UserError(
            f"the study has no stage {stage!r}.",
            where=str(folder),
            fix=f"Did you mean {guess!r}?" if guess else f"It has {', '.join(keys)}.",
        )
    open_it(found, by=BY)
    console().print(f"The stage {stage} is open.", markup=False)
    if found.position:
        console().print(
            "Nobody is told by itself: ask people back by the links that they have. Once more: "
            f"attunement study invite {folder} --again --base-url https://YOUR-ADDRESS",
            markup=False,
            soft_wrap=True,
        )


@app.command("close")
@friendly
def close(folder: Path = FOLDER) -> None:
    """Close a study: no more answers are taken, and nothing is lost."""
    from attunement.cli._study_folder import BY, open_folder

    study = open_folder(folder)
    from attunement.studies.closing import close_study

    close_study(study, by=BY)
    console().print("The study is closed. Now: attunement study export", markup=False)


@app.command("password")
@friendly
def password(
    folder: Path = FOLDER,
    password_file: Path | None = typer.Option(
        None,
        "--password-file",
        help="File whose first line is the new password; without it one is drawn and printed.",
    ),
) -> None:
    """Give the owner a new password, such as where the old one is lost; the old one is dead."""
    from attunement.cli._study_folder import BY, open_folder, read_password

    given = read_password(password_file)
    open_folder(folder)
    from attunement.studies.owner import change_password

    chosen = change_password(given, by=BY)
    if given is None:
        out().print(f"owner's password: {chosen}", markup=False)
    console().print("Log in as 'owner' with it; whoever was logged in is logged out.")


@app.command("backup")
@friendly
def backup(
    folder: Path = FOLDER,
    file: Path = typer.Option(..., "--out", help="The backup, one ZIP file."),
) -> None:
    """Write the whole study to one file, also while it is served.

    It holds everything, the secret behind all links included: keep it as you keep the study.
    """
    from attunement.cli._study_folder import open_folder

    open_folder(folder)
    from attunement.studies.backup import back_up

    size = back_up(folder, file)
    console().print(f"wrote {file}, {size:,} bytes, and read it back", markup=False)


@app.command("restore")
@friendly
def restore(
    file: Path = typer.Argument(help="A backup, as 'attunement study backup' wrote it."),
    folder: Path = typer.Option(..., "--out", help="The study's folder, which is made."),
) -> None:
    """Make a study's folder from a backup; its links and the owner's password work as before."""
    from attunement.cli._study_restore import restore as unpack

    unpack(file, folder)
    console().print(f"Restored. Now: attunement study serve {folder}", markup=False)


@app.command("texts")
@friendly
def texts(
    exported: Path = typer.Argument(
        help="Folder that 'attunement study export' wrote.", metavar="EXPORT"
    ),
    folder: Path = typer.Option(
        ..., "--out", help="Folder for items.parquet, responses.parquet and key.csv."
    ),
    dimensions: str = typer.Option(
        "",
        "--dimensions",
        help="Those whose reasons or answers are wanted, such as A,B; without it, of all.",
        show_default=False,
    ),
    at_most: float | None = typer.Option(
        None, "--at-most", help="Only of ratings with at most this value."
    ),
    seed: int = typer.Option(1, "--seed", min=0, help="Of the new order."),
) -> None:
    """Make free texts, such as reasons, the items of a new study in which people code them.

    Their ids tell nothing of who wrote them; key.csv leads back, and is not for those who code.
    """
    from attunement.cli._study_texts import write_texts

    names = [name.strip() for name in dimensions.split(",") if name.strip()]
    for line in write_texts(exported, folder, names, at_most, seed):
        console().print(line, markup=False)
