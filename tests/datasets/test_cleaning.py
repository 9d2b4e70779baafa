"""Scraped text becomes what a reader of the page saw."""

import pytest

from attunement.datasets import cleaning as c


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("<p>One</p><p>Two</p>", "One\n\nTwo"),
        ("<p>One<br>more</p>", "One\nmore"),
        ("<p>One</p><p><br></p><p>Two</p>", "One\n\nTwo"),
        ("<ul><li>a</li><li>b</li></ul>after", "- a\n- b\n\nafter"),
        ("<ol><li>a</li><li><p>b</p></li></ol>", "1. a\n2. b"),
        ("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n- b\n- c"),
        ('see <a href="http://x.example/y">this page</a>.', "see this page."),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"),
        ("<p>a line\nbroken in the source</p>", "a line broken in the source"),
        ("fish &amp; chips&nbsp;&#34;now&#34; &#x2019;", 'fish & chips "now" ’'),
        ("<p>&lt;3 you</p>", "<3 you"),
        ("<style>p {color: red}</style><p>text</p><script>x()</script>", "text"),
        ("<p><!--[if gte mso 9]><xml><w:z>1</w:z></xml><![endif]-->kept</p>", "kept"),
        ('<p>a<img src="data:image/png;base64,AAAA">b</p>', "ab"),
        ("<b>bold</b>ly <o:p>said</o:p>", "boldly said"),
        ("<p>open <style>never closed", "open never closed"),
        ("<p>done</p> 3 <4 and <!-- left open", "done\n\n3 <4 and <!-- left open"),
    ],
)
def test_html_becomes_text(given: str, expected: str) -> None:
    assert c.clean(given) == expected


@pytest.mark.parametrize("text", ["I <3 you", "a < b > c", "x <unknown> y", "if a<b then"])
def test_a_less_than_sign_is_not_markup(text: str) -> None:
    assert not c.has_html(text)
    assert c.html_to_text(text) == text


def test_text_without_markup_keeps_its_line_breaks() -> None:
    assert c.html_to_text("one\ntwo") == "one\ntwo"


def test_only_references_with_a_semicolon_are_replaced() -> None:
    assert c.unescape("?a=1&region=2&amp;b AT&T") == "?a=1&region=2&b AT&T"
    assert c.html_to_text("<p>?a=1&region=2</p>").strip() == "?a=1&region=2"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("a\u00a0b\u2003c\u3000d", "a b c d"),
        ("a\u200bb\ufeffc\u2060d\u00ade", "abcde"),
        ("a\r\nb\rc\u2028d", "a\nb\nc\nd"),
        ("a\x00b\x07c\x1bd", "abcd"),
        ("it\x92s \x93so\x94", "it’s “so”"),
        ("half \ud83d pair", "half \ufffd pair"),
        (
            "\U0001f468\u200d\U0001f469\u200d\U0001f467 hi",
            "\U0001f468\u200d\U0001f469\u200d\U0001f467 hi",
        ),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("a\u200db", "ab"),
        ("\u200fשלום\u200f", "\u200fשלום\u200f"),
        ("cafe\u0301", "café"),
        ("  a   b \n\n\n\n c\t", "a b\n\nc"),
    ],
)
def test_spaces_are_plain_and_the_invisible_is_gone(given: str, expected: str) -> None:
    assert c.clean_characters(given) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("long ago.Then I", "long ago. Then I"),
        ("for you?If so", "for you? If so"),
        ("well!I am", "well! I am"),
        ("with you.I'm here", "with you. I'm here"),
        ("for you.It is", "for you. It is"),
        ("I don’t.Only you", "I don’t. Only you"),
        ("years.A friend", "years. A friend"),
        ("so...Then", "so... Then"),
        ("for depression.PTSD is", "for depression. PTSD is"),
        ("(as I said.)Then", "(as I said.) Then"),
        ('"make progress."This', '"make progress." This'),
        ('he said."Go on" then', 'he said. "Go on" then'),
        ("está bien.¿Qué tal", "está bien. ¿Qué tal"),
        ("ánimos.Parece", "ánimos. Parece"),
        ("step 4.Has it", "step 4. Has it"),
        ("call [phone].Then", "call [phone]. Then"),
        ("see www.Example.org.Then go", "see www.Example.org. Then go"),
        ("write a.b@example.org.Then wait", "write a.b@example.org. Then wait"),
    ],
)
def test_a_sentence_end_gets_its_space(given: str, expected: str) -> None:
    assert c.space_sentences(given) == expected
    assert c.space_sentences(expected) == expected


@pytest.mark.parametrize(
    "text",
    [
        "feelings, e.g.Sadness",
        "i.e.The",
        "the U.S.Army",
        "a Ph.D. in M.S.W. and B.A.",
        "Dr.Smith and Mrs.Jones",
        "3.5 of 10.0",
        "version v2.Beta",
        "www.LivingYes.org and http://x.example/a.Then.html",
        "John.Smith@example.org",
        "the file Report.Final.pdf here",
        "CounselChat.Com",
        "psychcentral.com",
        "lower.case",
        "at 3 p.m.",
    ],
)
def test_what_only_looks_like_a_sentence_end_is_left_alone(text: str) -> None:
    assert c.space_sentences(text) == text


def test_cleaning_twice_changes_nothing_more() -> None:
    once = c.clean("<p>One&nbsp;day.Then</p><ul><li>a</li></ul>\u200b<p>e.g. this</p>")
    assert c.clean(once) == once == "One day. Then\n\n- a\n\ne.g. this"


def test_nothing_is_empty_text() -> None:
    assert c.clean(None) == c.clean("") == c.clean("<p><br></p>&nbsp;\u200b") == ""


@pytest.mark.parametrize("unit", ["a", "word. ", "<p ", "<!--", "<p>", "& ", "مرحبا ", "😀"])
def test_a_megabyte_is_cleaned_in_one_pass(unit: str) -> None:
    # Quadratic patterns would take minutes here.
    c.clean(unit * (500_000 // len(unit)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Family Conflict", "family-conflict"),
        ("Legal & Regulatory", "legal-regulatory"),
        ("Counseling Fundamentals ", "counseling-fundamentals"),
        ("LGBTQ", "lgbtq"),
        ("Self-esteem", "self-esteem"),
        ("Alzheimer's", "alzheimers"),
    ],
)
def test_topics_have_one_spelling(one: str, other: str) -> None:
    assert c.topic_slug(one) == c.topic_slug(other) == other


def test_names_and_links_are_replaced_in_texts() -> None:
    pattern = c.names_pattern({"Ann Example, LPC", "Sage"}, {"https://x.example/1"})
    said = c.scrub("Sage advice from Ann Example (https://x.example/1), Ann Examples", pattern)
    assert said == "Sage advice from [therapist] ([link]), Ann Examples"


def test_without_names_nothing_is_replaced() -> None:
    assert c.names_pattern(set(), set()) is None
    assert c.scrub("as it was", None) == "as it was"
