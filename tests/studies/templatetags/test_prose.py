"""Texts of a study's file on a page."""

from attunement.studies.templatetags.prose import prose


def test_an_empty_line_parts_paragraphs_and_a_lines_end_does_not() -> None:
    assert prose("One line\ngoes on.\n\n  \nTwo.\n") == "<p>One line goes on.</p>\n<p>Two.</p>"


def test_script_is_shown_as_text() -> None:
    assert prose("<script>x</script>") == "<p>&lt;script&gt;x&lt;/script&gt;</p>"
