"""Who may see the owner's pages, and how often a password may be tried."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec

from django.contrib import messages
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, redirect_to_login
from django.core.cache import cache
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation

from attunement.errors import UserError
from attunement.studies.views.access import count

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]

MOST_PER_NAME, MOST_PER_ADDRESS, MOST_IN_ALL, WINDOW_S = 10, 30, 300, 900
"""Wrong passwords for one name from one address, from one address, and for one name from anywhere,
in so many seconds. The last is far: with a few wrong passwords a stranger would lock the owner out.
"""


def owner_page(view: View[P]) -> View[P]:
    """Show a view to the study's owner only: others are asked to log in, or refused."""

    @functools.wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        user = request.user
        if not user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        if not (user.is_active and user.is_staff):
            raise PermissionDenied
        with translation.override("en"):
            return view(request, *args, **kwargs)

    return guarded


def who(request: HttpRequest) -> str:
    """Return the name under which the owner's doings are logged."""
    return request.user.get_username()


def attempt(request: HttpRequest, action: Callable[[], object], done: str) -> bool:
    """Do something and say so on the next page, or say there why it cannot be done."""
    try:
        action()
    except UserError as error:
        messages.error(request, str(error))
        return False
    messages.success(request, done)
    return True


class Login(LoginView):
    """The owner's login, which stops answering after too many wrong passwords."""

    template_name = "studies/owner/login.html"
    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Check name and password, unless too many were wrong."""
        if any(cache.get(key, 0) >= most for key, most in self._limits(request)):
            with translation.override("en"):
                form = AuthenticationForm(request)
                response = render(
                    request, self.template_name, {"form": form, "too_many": True}, status=429
                )
            response.headers["Retry-After"] = str(WINDOW_S)
            return response
        return super().post(request, *args, **kwargs)

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        """Count a wrong password."""
        for key, _ in self._limits(self.request):
            count(key, WINDOW_S)
        return super().form_invalid(form)

    @staticmethod
    def _limits(request: HttpRequest) -> list[tuple[str, int]]:
        # Hashed, since a name that is sent may be of any length and any characters
        name = hashlib.sha256(request.POST.get("username", "").lower().encode()).hexdigest()
        address = request.META.get("REMOTE_ADDR", "")
        return [
            (f"wrong-passwords:name:{name}:{address}", MOST_PER_NAME),
            (f"wrong-passwords:name:{name}", MOST_IN_ALL),
            (f"wrong-passwords:address:{address}", MOST_PER_ADDRESS),
        ]
