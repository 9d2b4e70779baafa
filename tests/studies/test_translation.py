"""Participants read the interface in Italian too, every word of it."""

import ast
import gettext
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils.translation.template import templatize

from attunement import studies

APP = Path(studies.__file__).parent
LOCALE = APP / "locale" / "it" / "LC_MESSAGES"
FUNCTIONS = {"gettext", "_", "ngettext", "gettext_lazy", "gettext_noop", "ngettext_lazy"}
FOR_THE_OWNER = ("owner", "migrations", "admin.py")


def of_python(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            plural = node.func.id.startswith("ngettext")
            if node.func.id in FUNCTIONS:
                given = node.args[: 2 if plural else 1]
                yield from (str(one.value) for one in given if isinstance(one, ast.Constant))


TEXT = r"""u?('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
CALL = re.compile(rf"\b(?:gettext|_)\({TEXT}\)|\bngettext\({TEXT}, ?{TEXT}, ?count\)", re.S)


def of_template(source: str) -> Iterator[str]:
    """Yield the words of a template, which Django turns into calls with one string or two."""
    for call in CALL.finditer(templatize(source)):
        yield from (ast.literal_eval(text) for text in call.groups() if text)


def words() -> dict[str, str]:
    """Return all marked words of participants' pages, and where they stand."""
    found = {}
    for path in sorted([*APP.rglob("*.py"), *APP.rglob("*.html")]):
        where = str(path.relative_to(APP))
        if not any(part in where for part in FOR_THE_OWNER):
            source = path.read_text("utf-8")
            read = of_python(source) if path.suffix == ".py" else of_template(source)
            found.update(dict.fromkeys(read, where))
    return found


def po() -> dict[tuple[str, str], list[str]]:
    """Return the translations that stand in the .po file, by msgid and plural, if any."""
    found = {}
    for block in (LOCALE / "django.po").read_text("utf-8").split("\n\n"):
        texts: dict[str, str] = {}
        key = ""
        for line in block.splitlines():
            if match := re.match(r'(msg\w+(?:\[\d\])?) (".*")$', line):
                key = match[1]
                texts[key] = ast.literal_eval(match[2])
            elif line.startswith('"'):
                texts[key] += ast.literal_eval(line)
        assert "#, fuzzy" not in block, block
        given = [text for key, text in texts.items() if key.startswith("msgstr")]
        found[texts["msgid"], texts.get("msgid_plural", "")] = given
    return found


@pytest.fixture(scope="module")
def compiled() -> gettext.GNUTranslations:
    with (LOCALE / "django.mo").open("rb") as file:
        return gettext.GNUTranslations(file)


def test_every_word_for_participants_has_an_italian_translation() -> None:
    translated = {word for words, given in po().items() if all(given) for word in words}
    missing = {word: where for word, where in words().items() if word not in translated}
    assert missing == {}, "run scripts/make_messages.py and translate"


def test_the_words_that_are_looked_for_include_templates_and_python() -> None:
    assert {"Next", "Saving…", "Italy", "%(n)s of %(m)s questions as expected."} <= words().keys()


def test_nothing_is_translated_that_no_page_says() -> None:
    assert {w for both in po() for w in both} - words().keys() == {""}, "run make_messages.py"


def test_what_is_compiled_is_what_is_translated(compiled: gettext.GNUTranslations) -> None:
    for (word, plural), given in po().items():
        if plural:
            assert [compiled.ngettext(word, plural, n) for n in (1, 2)] == given
        else:
            assert [compiled.gettext(word)] == given


def test_translations_keep_the_places_that_are_filled_in() -> None:
    hole = re.compile(r"%\(\w+\)[sd]|\{\w+\}")
    for (word, plural), given in po().items():
        for original, text in zip((word, plural), given, strict=False):
            assert sorted(hole.findall(text)) == sorted(hole.findall(original)) or plural, text
