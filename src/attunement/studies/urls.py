"""The addresses: ``/r/<token>/`` for participants, ``/owner/`` for the study's owner."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from attunement.studies.views import rater

participant = [
    path("", rater.home, name="home"),
    path("consent/", rater.consent, name="consent"),
    path("language/", rater.language, name="language"),
    path("a/<int:pk>/", rater.page, name="page"),
    path("a/<int:pk>/save/", rater.save, name="save"),
    path("a/<int:pk>/done/", rater.done, name="done"),
]

urlpatterns = [
    path("r/<str:token>/", include((participant, "rater"))),
    path("owner/", include("attunement.studies.owner_urls")),
    # One login, with its limits
    path("admin/login/", RedirectView.as_view(pattern_name="owner:login", query_string=True)),
    path("admin/", admin.site.urls),
]
