import re
from importlib.resources import files
from xml.etree import ElementTree

import pytest

from attunement.report import plots, theme

CSS = (files("attunement.report") / "assets" / "page.css").read_text(encoding="utf-8")


def picture(name: str = "attuned") -> str:
    mark = plots.Mark(name, 0.5, 0.4, 0.6, *theme.series(0))
    panel = plots.Panel("", [mark], 0.8, (0.7, 0.9))
    with theme.drawing():
        return theme.as_svg(plots.overview(panel, 7.6, "yardstick", "axis"), "A picture")


def test_a_figure_comes_out_the_same_twice_and_has_no_date() -> None:
    assert picture() == picture()
    assert "<dc:date>" not in picture()


def test_the_page_s_copy_has_no_inline_style_and_no_fixed_color_of_ours() -> None:
    inline = theme.for_page(picture(), "p-", "words")
    assert "style=" not in inline
    assert theme.INK not in inline
    assert 'class="f-ink"' in inline


def test_every_class_of_a_figure_has_a_color_in_the_style_sheet() -> None:
    inline = theme.for_page(picture(), "p-", "words")
    used = {c for group in re.findall(r'class="([^"]+)"', inline) for c in group.split()}
    assert {c for c in used if f".{c} {{" not in CSS} == set()
    assert all(f".{k}-c{i} {{" in CSS for k in "fs" for i in range(len(theme.SERIES)))


def test_ids_are_the_figure_s_own_and_every_reference_finds_its_id() -> None:
    root = ElementTree.fromstring(theme.for_page(picture(), "p-", "words"))
    ids = {e.get("id") for e in root.iter() if e.get("id")}
    text = ElementTree.tostring(root, encoding="unicode")
    wanted = set(re.findall(r'(?:url\(#|href="#)([^")]+)', text))
    assert wanted
    assert wanted == ids
    assert all(str(i).startswith("p-") for i in ids)


def test_a_clipped_part_keeps_the_size_of_its_clip() -> None:
    root = ElementTree.fromstring(theme.for_page(picture(), "p-", "words"))
    clips = [r for c in root.iter("clipPath") for r in c.iter("rect")]
    assert clips
    assert all(float(r.attrib["width"]) > 0 for r in clips)


def test_the_figure_in_words_is_its_label() -> None:
    root = ElementTree.fromstring(theme.for_page(picture(), "p-", 'a "b" <c>'))
    assert (root.get("role"), root.get("aria-label")) == ("img", 'a "b" <c>')


@pytest.mark.parametrize("name", ["a$b_c$d", "<script>", "नमस्ते", "模型"])
def test_a_source_s_name_is_never_markup(name: str) -> None:
    root = ElementTree.fromstring(theme.for_page(picture(name), "p-", "words"))
    assert name in ["".join(t.itertext()) for t in root.iter("text")]


def test_sources_differ_in_color_and_marker_well_beyond_the_eight_colors() -> None:
    assert len({theme.series(i) for i in range(40)}) == 40


def _variables(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))


LIGHT, DARK = (_variables(CSS.split(":root {")[i].split("}")[0]) for i in (1, 2))


def _luminance(color: str) -> float:
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Contrast ratio as WCAG 2.1 defines it."""
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_what_wcag_says() -> None:
    # WCAG 2.1: black on white is 21 to 1; #767676 is the lightest gray that passes AA on white.
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_text_has_the_contrast_of_wcag_aa(colors: dict[str, str]) -> None:
    pairs = [(t, g) for t in ("ink", "muted", "accent") for g in ("bg", "panel")]
    pairs += [("good", "good-bg"), ("bad", "bad-bg"), ("warn", "warn-bg"), ("good", "bg")]
    pairs += [("bad", "bg"), ("muted", "band"), ("ink", "line")]
    poor = {p: contrast(colors[p[0]], colors[p[1]]) for p in pairs}
    assert {p: round(c, 2) for p, c in poor.items() if c < 4.5} == {}


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_marks_have_the_contrast_of_wcag_aa_for_graphics(colors: dict[str, str]) -> None:
    pairs = [(f"c{i}", ground) for i in range(8) for ground in ("bg", "band")]
    poor = {p: contrast(colors[p[0]], colors[p[1]]) for p in pairs}
    assert {p: round(c, 2) for p, c in poor.items() if c < 3} == {}


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("tint", ["high", "low"])
def test_numbers_in_the_heat_map_can_be_read_on_its_strongest_color(
    colors: dict[str, str], tint: str
) -> None:
    def part(color: str, i: int) -> int:
        return int(color[1 + 2 * i : 3 + 2 * i], 16)

    strongest = [0.6 * part(colors[tint], i) + 0.4 * part(colors["bg"], i) for i in range(3)]
    ground = "#" + "".join(f"{round(v):02x}" for v in strongest)
    assert contrast(colors["ink"], ground) >= 4.5


def test_figures_on_file_have_the_page_s_light_colors() -> None:
    assert [color for color, _ in theme.SERIES] == [LIGHT[f"c{i}"] for i in range(8)]
    assert (LIGHT["ink"], LIGHT["band"], LIGHT["line"]) == (theme.INK, theme.BAND, theme.GRID)
