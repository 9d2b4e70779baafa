"""Inviting people to a study, and the table of their links."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from attunement.cli._common import console
from attunement.cli._study_folder import BY
from attunement.cli._study_serve import link_of
from attunement.errors import UserError

if TYPE_CHECKING:
    from attunement.studies.models import Participant


def invite(count: int | None, addresses: Path | None, *, again: bool) -> list[Participant]:
    """Invite people to the next free places, or return those who were invited before.

    Parameters
    ----------
    count
        So many; all places that are free where nothing else is said.
    addresses
        File with an e-mail address a line.
    again
        Invite nobody.

    Raises
    ------
    UserError
        Where there are too few places, or an address is none.

    """
    from attunement.studies import invitations

    if again:
        found = list(invitations.invited())
        if not found:
            console().print(
                "Nobody who was invited can go on: they have finished or left, or nobody was. The "
                "owner's page Participants has everybody's link.",
                markup=False,
            )
        return found
    if addresses is not None:
        text = addresses.read_text(encoding="utf-8-sig")
        named = invitations.read_addresses(text)
        for address in invitations.repeated(text):
            console().print(f"{address} stands more than once: it gets one place.", markup=False)
        return invitations.invite_addresses(named, by=BY)
    free = invitations.free_places().count()
    if not free:
        raise UserError(
            "everybody was invited: no place is free.",
            where="invitations",
            fix="--again gives their links once more.",
        )
    return invitations.invite(count or free, by=BY)


def link_table(people: Iterable[Participant], base: str) -> str:
    """Return the CSV table of personal links; no cell of it is a formula to a spreadsheet."""
    from attunement.studies import invitations

    return invitations.table_of(people, lambda person: link_of(base, person)).write_csv()
