"""The owner's account: one, with a password of its own."""

from __future__ import annotations

import secrets

from attunement.errors import UserError

NAME = "owner"
LENGTH_BYTES = 12


def make_owner(password: str | None = None) -> str:
    """Make the owner's account and return its password; one is drawn where none is given.

    Raises
    ------
    UserError
        Where the password is too easy to guess.

    """
    from django.contrib.auth import get_user_model

    chosen = _chosen(password)
    get_user_model().objects.create_superuser(NAME, password=chosen)
    return chosen


def change_password(password: str | None = None, *, by: str) -> str:
    """Give the owner a new password and return it; one is drawn where none is given.

    Raises
    ------
    UserError
        Where the password is too easy to guess.

    """
    from django.contrib.auth import get_user_model

    from attunement.studies.audit import log
    from attunement.studies.holding import writing

    chosen = _chosen(password)
    with writing():
        account, _ = get_user_model().objects.get_or_create(
            username=NAME, defaults={"is_staff": True, "is_superuser": True}
        )
        account.set_password(chosen)
        account.save()
        log(by, "password changed")
    return chosen


def _chosen(password: str | None) -> str:
    from django.contrib.auth.password_validation import validate_password
    from django.core.exceptions import ValidationError

    chosen = secrets.token_urlsafe(LENGTH_BYTES) if password is None else password
    try:
        validate_password(chosen)
    except ValidationError as error:
        raise UserError(
            " ".join(error.messages), where="the password", fix="Choose another."
        ) from None
    return chosen
