"""Personal links: a token that cannot be guessed, of which the database keeps only a hash."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets

from django.conf import settings
from django.db.models import QuerySet

from attunement.studies.models import Participant


def new_nonce() -> str:
    """Return what makes a new link; the old one is worth nothing from then on."""
    return secrets.token_hex(16)


def token(nonce: str) -> str:
    """Return the token of a nonce: 192 bits that only the study's secret gives."""
    digest = hmac.new(settings.SECRET_KEY.encode(), f"link:{nonce}".encode(), hashlib.sha256)
    return base64.urlsafe_b64encode(digest.digest()[:24]).decode()


def token_hash(link_token: str) -> str:
    """Return what the database keeps of a token."""
    return hashlib.sha256(link_token.encode()).hexdigest()


def alive() -> QuerySet[Participant]:
    """Return those whose link works: who have not left, and whose link was not revoked."""
    return Participant.objects.filter(revoked_at=None, withdrawn_at=None)


def is_dead(participant: Participant) -> bool:
    """Return whether somebody's link is worth nothing: they left, or it was revoked."""
    return participant.withdrawn_at is not None or participant.revoked_at is not None


def find(link_token: str) -> Participant | None:
    """Return whose link it is, None where it is nobody's or was revoked."""
    # By hand: every request of a participant begins here, and building the query took most of it
    found = Participant.objects.raw(
        "SELECT * FROM studies_participant WHERE token_hash = %s"
        " AND revoked_at IS NULL AND withdrawn_at IS NULL",
        [token_hash(link_token)],
    )
    return next(iter(found), None)


def find_gone(link_token: str) -> Participant | None:
    """Return who left the study and had this link, None where nobody did."""
    return Participant.objects.filter(
        token_hash=token_hash(link_token), withdrawn_at__isnull=False
    ).first()


def path(participant: Participant) -> str:
    """Return the path of a participant's personal link."""
    return f"/r/{token(participant.nonce)}/"


def renew(participant: Participant) -> None:
    """Give a participant a new link; the old one stops working."""
    participant.nonce = new_nonce()
    participant.token_hash = token_hash(token(participant.nonce))
    participant.revoked_at = None
    participant.save(update_fields=["nonce", "token_hash", "revoked_at"])


def new_participant(code: str) -> Participant:
    """Return a participant with a link, not saved yet."""
    nonce = new_nonce()
    return Participant(code=code, nonce=nonce, token_hash=token_hash(token(nonce)))
