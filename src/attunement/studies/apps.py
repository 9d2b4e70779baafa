"""The Django application."""

from django.apps import AppConfig


class StudiesConfig(AppConfig):
    """The one application of the project."""

    name = "attunement.studies"
    label = "studies"
    default_auto_field = "django.db.models.BigAutoField"
