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
    from django.contrib.auth.password_validation import validate_password
    from django.core.exceptions import ValidationError

    chosen = secrets.token_urlsafe(LENGTH_BYTES) if password is None else password
    try:
        validate_password(chosen)
    except ValidationError as error:
        raise UserError(
            " ".join(error.messages), where="the password", fix="Choose another."
        ) from None
    get_user_model().objects.create_superuser(NAME, password=chosen)
    return chosen
