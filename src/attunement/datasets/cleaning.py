"""Clean text that was scraped from a web page, one small pure function a step.

Nothing here changes a word: markup, invisible characters and spacing only. `clean` is for texts
from web pages and tables; `clean_characters` alone is for what a chat system said, where a missing
space is the system's own.
"""

from __future__ import annotations

import html
import re
import unicodedata
from html.parser import HTMLParser
from typing import Any, Final

_BLOCK_TAGS: Final = (
    "address|article|aside|blockquote|dd|div|dl|dt|fieldset|figcaption|figure|footer|form|h1|h2|h3"
    "|h4|h5|h6|header|hr|main|nav|p|pre|section|table"
)
_UNREAD_TAGS: Final = "head|noscript|script|style|template|title|xml"
_OTHER_TAGS: Final = (
    "a|abbr|b|big|body|br|center|cite|code|col|colgroup|del|em|embed|font|html|i|iframe|img|input"
    "|ins|kbd|label|li|link|mark|meta|ol|s|samp|small|span|strike|strong|sub|sup|tbody|td|tfoot|th"
    "|thead|tr|tt|u|ul|var"
)
_BLOCKS: Final = frozenset(_BLOCK_TAGS.split("|"))
_UNREAD: Final = frozenset(_UNREAD_TAGS.split("|"))
_TAG = re.compile(
    rf"<!--|</?(?:{_BLOCK_TAGS}|{_UNREAD_TAGS}|{_OTHER_TAGS})(?=[\s/>])[^<>]*>", re.IGNORECASE
)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")
_LOOSE_AMPERSAND = re.compile(rf"&(?!{_ENTITY.pattern[1:]})")

_SPACES = re.compile("[\t\x0b\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_BREAKS = re.compile("\r\n?|[\x0c\u2028\u2029]")
_INVISIBLE = re.compile("[\u00ad\u180e\u200b\u2060\ufeff]")
_JOINERS = re.compile("(?<![^\x00-\x7f\\s])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f\\s])")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_SURROGATES = re.compile("[\ud800-\udfff]")


def has_html(text: str) -> bool:
    """Say whether the text holds a comment or a tag that HTML knows (``I <3 you`` does not)."""
    return _TAG.search(text) is not None


def unescape(text: str) -> str:
    """Replace character references that end in a semicolon; ``?a=1&region=2`` stays as it is."""
    return _ENTITY.sub(lambda found: html.unescape(found[0]), text)


def html_to_text(text: str) -> str:
    """Return what a reader of the page sees: paragraphs, list marks and link texts.

    Blocks are separated by an empty line, ``<br>`` is a line break, list items start with ``- `` or
    their number, table cells are separated by a space. Scripts, styles, comments and the addresses
    behind links are left out. Text without markup comes back with its character references
    replaced and its line breaks kept.
    """
    if not has_html(text):
        return unescape(text)
    text = _without_comments(text)
    # Without a ">" to come, a "<" opens no tag, and the parser need not look for one each time.
    closed = text.rfind(">") + 1
    text = text[:closed] + text[closed:].replace("<", "&lt;")
    reader = _Reader(text)
    reader.feed(_LOOSE_AMPERSAND.sub("&amp;", text))
    reader.close()
    return reader.text()


def _without_comments(text: str) -> str:
    parts, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (stop := text.find("-->", start)) >= 0:
        parts.append(text[at:start])
        at = stop + 3
    return "".join([*parts, text[at:]])


class _Reader(HTMLParser):
    def __init__(self, whole: str) -> None:
        super().__init__(convert_charrefs=True)
        # A tag that is never closed must not swallow the rest of the answer.
        lower = whole.lower()
        self._unread = {t for t in _UNREAD if lower.rfind(f"</{t}") > lower.rfind(f"<{t}")}
        self._skipping: list[str] = []
        self._lists: list[int | None] = []
        self._mark_waits = False
        self._breaks = 0
        self._parts: list[str] = []

    def text(self) -> str:
        return "".join(self._parts)

    def set_cdata_mode(self, elem: str, **more: Any) -> None:
        if elem in self._unread:
            super().set_cdata_mode(elem, **more)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self._unread:
            self._skipping.append(tag)
        elif tag == "br":
            self._break(self._breaks + 1)
        elif tag in ("ul", "ol"):
            self._break(1 if self._lists else 2)
            self._lists.append(1 if tag == "ol" else None)
        elif tag == "li":
            self._item()
        elif tag == "tr":
            self._break(1)
        elif tag in ("td", "th"):
            self._parts.append(" ")
        elif tag in _BLOCKS:
            self._block()

    def handle_endtag(self, tag: str) -> None:
        if tag in self._skipping:
            del self._skipping[self._skipping.index(tag) :]
        elif tag in ("ul", "ol"):
            if self._lists:
                self._lists.pop()
            self._break(1 if self._lists else 2)
        elif tag in _BLOCKS:
            self._block()

    def handle_data(self, data: str) -> None:
        if self._skipping:
            return
        # In HTML a line break is a space; the no-break spaces are left for later.
        self._parts.append(re.sub(r"[ \t\r\n\f]+", " ", data))
        if data.strip(" \t\r\n\f"):
            self._mark_waits = False
            self._breaks = 0

    def _break(self, lines: int) -> None:
        self._parts.append("\n" * (lines - self._breaks))
        self._breaks = max(lines, self._breaks)

    def _block(self) -> None:
        # A paragraph inside a list item must not tear the mark from its text.
        if not self._mark_waits:
            self._break(1 if self._lists else 2)

    def _item(self) -> None:
        number = self._lists[-1] if self._lists else None
        if number is not None:
            self._lists[-1] = number + 1
        self._break(1)
        self._parts.append("- " if number is None else f"{number}. ")
        self._mark_waits = True
        self._breaks = 0


def clean_characters(text: str) -> str:
    """Make spaces plain and remove what cannot be seen; the words stay as they are.

    No-break and other wide spaces become spaces, every kind of line break a newline; zero-width
    spaces, soft hyphens, byte-order marks and control characters go. Zero-width joiners stay where
    they join emoji or letters outside ASCII, as do the marks that set the direction of
    right-to-left text. Bytes of Windows-1252 that were read as control characters become what they
    meant, and half of a surrogate pair becomes U+FFFD. The result is in NFC, with at most one empty
    line between paragraphs and no space at either end of a line.
    """
    if _SURROGATES.search(text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = _BREAKS.sub("\n", text)
    text = _CONTROLS.sub(_windows_1252, text)
    text = _INVISIBLE.sub("", _SPACES.sub(" ", text))
    text = unicodedata.normalize("NFC", _JOINERS.sub("", text))
    return collapse_whitespace(text)


def _windows_1252(found: re.Match[str]) -> str:
    code = ord(found[0])
    return bytes([code]).decode("cp1252", "ignore") if code >= 0x80 else ""


def collapse_whitespace(text: str) -> str:
    """Leave one space between words, at most one empty line, and nothing at the ends of lines."""
    lines = (re.sub(r" {2,}", " ", line).strip(" ") for line in text.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


# What must not be torn: addresses, e-mail addresses and file names. An address ends at white space,
# or at a full stop that a whole capitalized word follows ("www.example.org.Then I").
_PROTECTED = re.compile(
    r"""(?:https?://|ftp://|www\.)\S+?(?=[.!?]+["”’')\]]?[A-ZÀ-Þ][a-zß-ÿ]*[\s,]|[)\]>]?(?:\s|$))
    |[\w.+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+
    |[^\s"“(]+\.(?:pdf|docx?|xlsx?|pptx?|txt|csv|html?|jpe?g|png|gif|zip|py|json|mp[34])(?![a-z0-9])
    """,
    re.VERBOSE,
)
_MAY_BE_PROTECTED = re.compile(r"://|www\.|@|\.[a-z]{2,4}")
_SENTENCE_END = re.compile(
    r"""(?<=[\w\])%'’"”])
    (?P<end>[.!?…]+)
    (?P<quote>["”’')\]]*)
    (?=(?P<next>[¿¡“‘(\[]*[^\W\d_]+['’]?))
    """,
    re.VERBOSE,
)
_NO_END = re.compile(r"dr|mrs?|ms|st|prof|jr|sr|vs|no|ph|www|cf|v\d+|[^\W\d_]", re.IGNORECASE)
_DOMAIN = re.compile(r"com|org|net|edu|gov|info|biz|js", re.IGNORECASE)
_REACH: Final = 300
"""How far around a full stop its token is looked for, in characters."""


def space_sentences(text: str) -> str:
    """Put a space after a sentence end that has none: ``ago.Then`` becomes ``ago. Then``.

    A sentence end is a full stop, exclamation or question mark, or an ellipsis, with closing quotes
    or brackets, between a word and a capitalized word (or "I", "A", an acronym, an opening mark).
    Left alone: "e.g.", "U.S.", "Ph.D.", titles, numbers, web and e-mail addresses, file names.
    """

    def space(found: re.Match[str]) -> str:
        at = found.start()
        if not _is_end(found, text) or _is_protected(text, at):
            return found[0]
        if found["quote"] == '"':
            line = max(text.rfind("\n", 0, at) + 1, at - 20_000)
            if text.count('"', line, at) % 2 == 0:  # it opens what follows
                return f'{found["end"]} "'
        return f"{found[0]} "

    return _SENTENCE_END.sub(space, text)


def _is_end(found: re.Match[str], text: str) -> bool:
    at, after = found.start(), found["next"]
    start = after.lstrip("¿¡“‘([").rstrip("'’")
    if found["end"] == ".":
        backwards = re.match(r"[\w&/'’-]*", text[max(0, at - 40) : at][::-1])
        if backwards and _NO_END.fullmatch(backwards[0][::-1]):
            return False  # a title, a version, or an initial as in "U.S." and "e.g."
    if after[0] in "¿¡":
        return True
    if _DOMAIN.fullmatch(start) and start == after:
        return False
    if len(start) == 1:
        # A word of one letter, unless it is the D of "Ph.D." or the first of "U.S."
        follows = text[found.end() + len(after) :][:1]
        word_of_one = start in "IAYOÉ" and follows != "."
        return word_of_one and (after.endswith(("'", "’")) or not follows.isalnum())
    if start[:1].isupper() and start[1].islower():
        return True
    return len(start) >= 3 and start.isupper()


def _is_protected(text: str, at: int) -> bool:
    before = text[max(0, at - _REACH) : at].rsplit(maxsplit=1)[-1]
    token = f"{before}{text[at : at + _REACH].split(maxsplit=1)[0]} "
    if not _MAY_BE_PROTECTED.search(token):
        return False
    return any(found.start() <= len(before) < found.end() for found in _PROTECTED.finditer(token))


def clean(text: str | None) -> str:
    """Return scraped text as a reader would see it: markup, characters, spacing; "" for None."""
    if not text:
        return ""
    return space_sentences(clean_characters(html_to_text(text)))


def topic_slug(topic: str) -> str:
    """Return one spelling for a topic: ``Legal & Regulatory`` and ``legal-regulatory`` agree."""
    words = re.findall(r"[^\W_]+", topic.lower().replace("'", "").replace("’", ""))
    return "-".join(words)


def names_pattern(names: set[str], links: set[str]) -> re.Pattern[str] | None:
    """Return a pattern that finds people's names and addresses in a text; None where none is given.

    A name is looked for whole and up to its first comma ("Jane Doe, LPC"); single words are not,
    as they could be any word.
    """
    people = sorted((re.escape(n) for n in _forms(names)), key=len, reverse=True)
    pages = sorted((re.escape(link.strip()) for link in links if link.strip()), key=len)[::-1]
    parts = []
    if people:
        parts.append(rf"(?P<name>(?<!\w)(?:{'|'.join(people)})(?!\w))")
    if pages:
        parts.append(rf"(?P<link>(?:{'|'.join(pages)})(?![\w/-]))")
    return re.compile("|".join(parts)) if parts else None


def _forms(names: set[str]) -> set[str]:
    forms = {form.strip() for name in names for form in (name, name.split(",")[0])}
    return {form for form in forms if " " in form and len(form) >= 5}


def scrub(text: str, pattern: re.Pattern[str] | None) -> str:
    """Replace what `names_pattern` finds by ``[therapist]`` or ``[link]``."""
    if pattern is None:
        return text
    return pattern.sub(lambda m: "[therapist]" if m.lastgroup == "name" else "[link]", text)
