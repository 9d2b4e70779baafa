"""The addresses: ``/r/<token>/`` for participants, ``/owner/`` for the study's owner."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from attunement.studies.views import answers, chat, leaving, once, rater

participant = [
    path("", rater.home, name="home"),
    path("consent/", rater.consent, name="consent"),
    path("language/", rater.language, name="language"),
    path("a/<int:pk>/", rater.page, name="page"),
    path("stop/", leaving.leave, name="stop"),
    path("a/<int:pk>/begin/", rater.begin, name="begin"),
    path("a/<int:pk>/save/", answers.save, name="save"),
    path("a/<int:pk>/all/", answers.save_all, name="save_all"),
    path("a/<int:pk>/state/", answers.state, name="state"),
    path("a/<int:pk>/done/", rater.done, name="done"),
    path("a/<int:pk>/feedback/", answers.feedback, name="feedback"),
    path("a/<int:pk>/chat/", chat.messages, name="chat"),
    path("a/<int:pk>/chat/say/", chat.say, name="chat-say"),
    path("a/<int:pk>/chat/again/", chat.again, name="chat-again"),
    path("a/<int:pk>/chat/end/", chat.end, name="chat-end"),
    path("a/<int:pk>/chat/skip/", chat.skip, name="chat-skip"),
]

urlpatterns = [
    path("r/<str:token>/", include((participant, "rater"))),
    path("owner/once/<str:token>/", once.once, name="once"),
    path("owner/", include("attunement.studies.owner_urls")),
    # One login, with its limits
    path("admin/login/", RedirectView.as_view(pattern_name="owner:login", query_string=True)),
    path("admin/", admin.site.urls),
]
