"""Files that are valid YAML and no fit instruments, and texts that try to be more than text."""

import csv
import io

import pytest

from attunement.errors import UserError
from attunement.instruments import Instrument, load_instrument, parse_instrument
from attunement.instruments._fields import number_text
from attunement.instruments.codebook import codebook_csv, codebook_markdown
from attunement.instruments.form import build_form, render_form
from stubs.instrument_text import MINE

SCALE = "{type: integer, min: 1, max: 5, better: higher}"
CHOICE = "{type: choice, options: [{id: a, label: {en: A}, value: %s}, {id: b, label: {en: B}}]}"
ANOTHER = "  - {id: %s, label: {en: a}, wording: {en: a}, scale: {type: text}}\nsource:"


def made(old: str, new: str) -> Instrument:
    assert old in MINE
    return parse_instrument(MINE.replace(old, new), where="x.yaml")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (SCALE, SCALE.replace("5", ".nan").replace("integer", "number"), "scale.max: "),
        (SCALE, SCALE.replace("5", ".inf").replace("integer", "number"), "scale.max: "),
        (SCALE, SCALE.replace("1", "true"), "true and false are no numbers"),
        (SCALE, CHOICE % ".nan", "options.0.value: "),
        (SCALE, CHOICE % ".inf", "options.0.value: "),
        (SCALE, "{type: text}\n    evidence: [spans, spans]", "'spans' stands there twice"),
        (
            SCALE,
            SCALE[:-1] + ", anchors: {1: {en: a}, '1': {en: b}}}",
            "the anchor '1' stands there twice",
        ),
        ("version: 1", "version: true", "true and false are no numbers"),
        ('"Is it warm?"', '""', "wording.en: the text is empty"),
        ('"Is it warm?"', '" \\n "', "wording.en: the text is empty"),
        ("citation: me", "citation: ''", "the text is empty"),
        ('"Is it warm?"', '"\\e[31mred"', "the text holds U+001B"),
        ('"Is it warm?"', '"a\\0b"', "the text holds U+0000"),
        ('"Is it warm?"', '"abc \\u202e cba"', "the text holds U+202E"),
        ('"Is it warm?"', '"half \\ud800"', "the text holds U+D800"),
        ("unit:", "languages: [en, en]\nunit:", "the language 'en' stands there twice"),
        ("unit:", "languages: ['<b>']\nunit:", "languages.0: "),
        ("citation: me", "citation: me, url: 'javascript:alert(1)'", "an address begins with"),
        ("citation: me", "citation: me, url: 'https://x y'", "an address begins with"),
        ("source:", ANOTHER % "warm_status", "the column 'warm_status' stands there twice"),
        ("source:", ANOTHER % "rater", "the column 'rater' stands there twice"),
        (
            "source:",
            "subscales: [{id: s, label: {en: S}, dimensions: [warm, warm]}]\nsource:",
            "the dimension of the subscale 's', 'warm' stands there twice",
        ),
        ("license:", "judge: {system: '', task: a}\nlicense:", "judge.system: the text is empty"),
    ],
)
def test_what_would_go_wrong_later_is_refused(old: str, new: str, said: str) -> None:
    with pytest.raises(UserError) as error:
        made(old, new)
    assert said in str(error.value)
    assert "at least 1 item" not in str(error.value)


@pytest.mark.parametrize("code", ["pt-BR", "fil", "zh-Hant", "en"])
def test_language_codes_are_those_of_the_web(code: str) -> None:
    text = MINE.replace("{en:", f"{{{code}:").replace("unit:", f"languages: [{code}]\nunit:")
    assert parse_instrument(text, where="x.yaml").language == code


def test_every_script_and_a_line_break_may_stand_in_a_text() -> None:
    said = "Ist es warm?\\n\\tهل هو دافئ؟ 温かいですか 🙂"
    assert "温かい" in made('"Is it warm?"', f'"{said}"').dimensions[0].wording["en"]


@pytest.mark.parametrize("name", [":", "a:b:c", ":" * 5000, "../../etc/passwd", "@", ""])
def test_a_name_that_is_none_is_said_to_be_none(name: str) -> None:
    with pytest.raises(UserError, match="there is no instrument"):
        load_instrument(name)


def test_no_cell_of_the_codebook_is_a_formula() -> None:
    instrument = made('"Is it warm?"', '"=HYPERLINK(1)"')
    (row,) = csv.DictReader(io.StringIO(codebook_csv(instrument)))
    assert row["wording_en"] == "'=HYPERLINK(1)"


def test_html_in_a_text_is_text_in_the_codebook() -> None:
    page = codebook_markdown(
        parse_instrument(
            MINE.replace("One question.", "<script>a</script>").replace("{en: Mine}", "{en: <i>}"),
            where="x.yaml",
        )
    )
    assert "<script>" not in page
    assert page.startswith("# &lt;i>\n")


def test_a_large_scale_keeps_its_ends() -> None:
    instrument = made(SCALE, SCALE.replace("5", "12345678"))
    assert "from 1 to 12345678" in codebook_markdown(instrument)
    assert 'max="12345678"' in render_form(build_form(instrument))


@pytest.mark.parametrize(
    ("value", "text"), [(5.0, "5"), (0.1, "0.1"), (1234567.0, "1234567"), (-0.5, "-0.5")]
)
def test_a_number_is_written_with_all_its_digits(value: float, text: str) -> None:
    assert number_text(value) == text
