"""Django's admin: for looking at everything. What changes a study is done on the owner's pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django.apps import apps
from django.contrib import admin
from django.http import HttpRequest

from attunement.studies.models import Answer, Assignment, Change, Event, Participant

if TYPE_CHECKING:
    _Admin = admin.ModelAdmin[Any]  # generic for type checkers only
else:
    _Admin = admin.ModelAdmin


class Reading(_Admin):
    """A table that can be read and not changed."""

    list_per_page = 50
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nothing is added here."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nothing is changed here."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nothing is deleted here."""
        return False


class Participants(Reading):
    """Participants, without what their links are made of."""

    exclude = ("nonce", "token_hash")
    list_display = ("code", "address", "invited_at", "started_at", "finished_at", "withdrawn_at")
    search_fields = ("code", "address")


class Assignments(Reading):
    """Pages of work."""

    list_display = ("participant", "stage", "kind", "position", "item", "seconds", "done_at")
    list_filter = ("kind", "stage")
    list_select_related = ("participant", "stage", "item")


class Answers(Reading):
    """Answers and changes of them."""

    list_display = ("assignment", "unit_id", "dimension", "value", "labels", "status", "saved_at")
    list_filter = ("dimension", "status")
    list_select_related: ClassVar = ("assignment",)
    search_fields = ("unit_id",)


class Events(Reading):
    """The audit log."""

    list_display = ("at", "actor", "action", "detail")
    list_filter = ("action",)


_OWN: dict[type[Any], type[Reading]] = {
    Participant: Participants,
    Assignment: Assignments,
    Answer: Answers,
    Change: Answers,
    Event: Events,
}

admin.site.site_url = "/owner/"
admin.site.site_header = admin.site.site_title = "All tables of the study"

for model in apps.get_app_config("studies").get_models():
    admin.site.register(model, _OWN.get(model, Reading))
