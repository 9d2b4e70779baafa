"""What every answer of the server carries: nothing may be loaded from, or sent to, elsewhere."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from attunement.studies.opened import one_request

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)

Answer = Callable[[HttpRequest], HttpResponse]


def security_headers(get_response: Answer) -> Answer:
    """Add the Content-Security-Policy, and keep personal pages out of every cache."""

    def middleware(request: HttpRequest) -> HttpResponse:
        with one_request():
            response = get_response(request)
        response.headers["Content-Security-Policy"] = POLICY
        response.headers["Permissions-Policy"] = "camera=(), microphone=(), geolocation=()"
        if not request.path.startswith("/static/"):
            response.headers.setdefault("Cache-Control", "no-store")
        return response

    return middleware
