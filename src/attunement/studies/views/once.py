"""Logging in once without a password: for demonstrations, by a link that was printed."""

from __future__ import annotations

from django.contrib.auth import get_user_model, login
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET

from attunement.studies.audit import log
from attunement.studies.models import Study
from attunement.studies.owner import NAME


class _Once(PasswordResetTokenGenerator):
    """Tokens that the first login makes worthless."""

    key_salt = "attunement.studies.once"


_tokens = _Once()


def login_path() -> str:
    """Return the path that logs the owner in once."""
    owner = get_user_model().objects.get(username=NAME)
    return reverse("once", args=[_tokens.make_token(owner)])


@require_GET
def once(request: HttpRequest, token: str) -> HttpResponse:
    """Log the owner of a demonstration in; of any other study there is no such page."""
    owner = get_user_model().objects.filter(username=NAME).first()
    if not Study.objects.filter(demo=True).exists():
        raise Http404
    if request.user.is_authenticated:  # by this link, which is opened again
        return redirect("owner:overview")
    if not _tokens.check_token(owner, token):
        raise Http404
    assert owner is not None, "no token is right where there is no owner"
    login(request, owner, backend="django.contrib.auth.backends.ModelBackend")
    log(NAME, "logged in by a demonstration's link")
    return redirect("owner:overview")
