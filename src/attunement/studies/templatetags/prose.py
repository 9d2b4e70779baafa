"""Texts of a study's file as paragraphs."""

from __future__ import annotations

import re

from django import template
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

register = template.Library()


@register.filter
def prose(text: str) -> SafeString:
    """Return a text as escaped paragraphs: an empty line parts them, a line's end does not."""
    paragraphs = (" ".join(part.split()) for part in re.split(r"\n\s*\n", text))
    return format_html_join("\n", "<p>{}</p>", ((p,) for p in paragraphs if p))
