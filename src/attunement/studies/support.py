"""Support lines by country, shown wherever participants meet texts about distress.

Numbers were looked up on the organizations' own pages; findahelpline.com lists other countries.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext, gettext_noop

COUNTRIES = {
    "AT": gettext_noop("Austria"),
    "AU": gettext_noop("Australia"),
    "CA": gettext_noop("Canada"),
    "CH": gettext_noop("Switzerland"),
    "DE": gettext_noop("Germany"),
    "ES": gettext_noop("Spain"),
    "FR": gettext_noop("France"),
    "GB": gettext_noop("United Kingdom"),
    "IE": gettext_noop("Ireland"),
    "IT": gettext_noop("Italy"),
    "NZ": gettext_noop("New Zealand"),
    "US": gettext_noop("United States"),
}


@dataclass(frozen=True)
class Line:
    """A support line: country (ISO 3166), name, its number and that for emergencies."""

    country: str
    name: str
    number: str
    emergency: str

    @property
    def where(self) -> str:
        """The country's name in the language of the page."""
        return gettext(COUNTRIES[self.country])

    @property
    def dial(self) -> str:
        """The number as a telephone dials it."""
        return "".join(c for c in self.number if c.isdigit() or c == "+")


LINES = (
    Line("IT", "Telefono Amico Italia", "02 2327 2327", "112"),
    Line("GB", "Samaritans", "116 123", "999"),
    Line("IE", "Samaritans", "116 123", "112"),
    Line("US", "988 Suicide & Crisis Lifeline", "988", "911"),
    Line("CA", "9-8-8 Suicide Crisis Helpline", "988", "911"),
    Line("AU", "Lifeline", "13 11 14", "000"),
    Line("NZ", "1737, need to talk?", "1737", "111"),
    Line("DE", "TelefonSeelsorge", "116 123", "112"),
    Line("FR", "Numéro national de prévention du suicide", "3114", "112"),
    Line("ES", "Línea de atención a la conducta suicida", "024", "112"),
    Line("CH", "Die Dargebotene Hand / La Main Tendue / Telefono Amico", "143", "112"),
    Line("AT", "TelefonSeelsorge", "142", "112"),
)


def lines_for(country: str | None) -> list[Line]:
    """Return all lines, those of ``country`` first, the others by the name of their country."""
    return sorted(LINES, key=lambda line: (line.country != country, line.where))
