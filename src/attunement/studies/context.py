"""What every page gets: the study's title, its contact, and where help is to be found."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils.translation import get_language

from attunement.studies.models import Study
from attunement.studies.opened import described
from attunement.studies.support import lines_for


def about(request: HttpRequest) -> dict[str, Any]:
    """Return the study as pages show it; nothing before there is one."""
    study = Study.objects.first()
    if study is None:
        return {}
    file = described(study)
    language = get_language() or file.language
    if language not in file.languages:
        language = file.language
    return {
        "study": study,
        "file": file,
        "study_title": file.title[language],
        "page_language": language,
        "support": lines_for(file.country),
    }
