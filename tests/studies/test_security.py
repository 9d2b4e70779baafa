"""What must not work: other people's links, guessed ids, forged posts, stored script, floods."""

import logging
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.cache import cache
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from attunement.studies import links
from attunement.studies.models import Answer, Assignment, Participant, Response, Study
from attunement.studies.views.access import MOST_FAILURES

SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)>"


@pytest.fixture(autouse=True)
def no_wrong_links_yet() -> None:
    cache.clear()


@pytest.fixture
def study(make_study: Callable[..., Study]) -> Study:
    return make_study()


def browser(**options: Any) -> Client:
    return Client(SERVER_NAME="localhost", **options)


def agreed(participant: Participant) -> Client:
    """Return the browser of somebody who has agreed and sees the first page."""
    client = browser()
    client.post(f"{links.path(participant)}consent/", {"agree": "yes"})
    client.get(links.path(participant), follow=True)
    return client


def first_page(participant: Participant) -> Assignment:
    page = Assignment.objects.filter(participant=participant, kind="main").first()
    assert page is not None
    return page


def save(who: Client, base: str, page: Assignment, **fields: str) -> Any:
    data = {
        "place": "0",
        "dimension": "does_no_harm",
        "does_no_harm": "1",
        "client": "c1",
        "seconds": "1",
        **fields,
    }
    return who.post(f"{base}a/{page.pk}/save/", data)


def two() -> tuple[Participant, Participant]:
    one, other = Participant.objects.order_by("pk")[:2]
    return one, other


def test_a_link_opens_no_page_of_anybody_else(study: Study) -> None:
    one, other = two()
    client = agreed(one)
    page = first_page(other)
    base = links.path(one)
    assert client.get(f"{base}a/{page.pk}/").status_code == 404
    assert save(client, base, page).status_code == 404
    assert client.post(f"{base}a/{page.pk}/done/").status_code == 404
    assert not Answer.objects.exists()


def test_a_revoked_link_is_worth_nothing(study: Study) -> None:
    one, _ = two()
    before = links.path(one)
    links.renew(one)
    assert browser().get(before).status_code == 404
    assert browser().get(links.path(one)).status_code == 302


@pytest.mark.parametrize("token", ["x", "A" * 32, "..%2F..%2Fetc", "%00", "é" * 10])
def test_a_guessed_link_finds_nobody(study: Study, token: str) -> None:
    assert browser().get(f"/r/{token}/").status_code == 404


def test_guessing_links_is_stopped(study: Study) -> None:
    client = browser()
    for n in range(MOST_FAILURES):
        assert client.get(f"/r/guess-{n}/").status_code == 404
    assert client.get("/r/guess-more/").status_code == 429
    one, _ = two()
    assert client.get(links.path(one)).status_code == 429


def test_who_has_to_wait_reads_so_in_their_language(make_study: Callable[..., Study]) -> None:
    make_study(languages=["en", "it"])
    client = browser()
    for n in range(MOST_FAILURES):
        client.get(f"/r/guess-{n}/")
    answer = client.get("/r/guess-more/", headers={"accept-language": "it"})
    assert answer.headers["Retry-After"] == "300"
    assert "fra 5 minuti" in answer.content.decode()


def test_those_who_are_at_work_behind_the_same_address_go_on(study: Study) -> None:
    one, other = two()
    client = agreed(one)
    for n in range(MOST_FAILURES):
        client.get(f"/r/guess-{n}/")
    assert client.get(links.path(one)).status_code == 302
    assert client.get(links.path(other)).status_code == 429


def test_no_log_tells_a_link(study: Study, caplog: pytest.LogCaptureFixture) -> None:
    from attunement.studies.logs import Masked

    one, _ = two()
    settings_of = django_settings.LOGGING["handlers"]["console"]
    assert settings_of["formatter"] == "masked"
    logger = logging.getLogger("django.request")
    logger.addHandler(caplog.handler)
    try:
        save(browser(), links.path(one), first_page(one))
    finally:
        logger.removeHandler(caplog.handler)
    record = caplog.records[0]
    record.exc_text = f"Traceback: at {links.path(one)}consent/"
    said = Masked().format(record)
    assert "Conflict: /r/.../a/" in said
    assert "at /r/.../consent/" in said
    assert links.token(one.nonce) not in said


def test_studies_on_one_machine_share_no_cookie(study: Study) -> None:
    client = browser()
    client.get("/owner/login/")
    (name,) = client.cookies.keys()
    assert re.fullmatch(r"csrf-[0-9a-f]{8}", name)
    assert client.cookies[name]["httponly"]
    assert client.cookies[name]["samesite"] == "Lax"


def test_tokens_are_long_and_only_their_hash_is_stored(study: Study) -> None:
    one, other = two()
    token = links.token(one.nonce)
    assert len(token) >= 32
    assert token != links.token(other.nonce)
    stored = " ".join(str(v) for v in Participant.objects.filter(pk=one.pk).values_list()[0])
    assert token not in stored


def test_a_post_that_was_forged_elsewhere_is_refused(study: Study) -> None:
    one, _ = two()
    client = browser(enforce_csrf_checks=True)
    base = links.path(one)
    assert client.post(f"{base}consent/", {"agree": "yes"}).status_code == 403
    page = first_page(one)
    assert save(client, base, page).status_code == 403
    assert not one.consents.exists()


def test_nothing_is_saved_before_consent(study: Study) -> None:
    one, _ = two()
    answer = save(browser(), links.path(one), first_page(one))
    assert answer.status_code == 409
    assert not Answer.objects.exists()


def test_nothing_is_saved_on_a_page_that_has_not_come_yet(study: Study) -> None:
    one, _ = two()
    client = agreed(one)
    last = Assignment.objects.filter(participant=one, kind="main").last()
    assert last is not None
    assert save(client, links.path(one), last).status_code == 409
    assert not Answer.objects.exists()


def test_nothing_is_saved_once_the_study_is_closed(study: Study) -> None:
    from django.utils import timezone

    one, _ = two()
    client = agreed(one)
    Study.objects.update(closed_at=timezone.now())
    assert save(client, links.path(one), first_page(one)).status_code == 409
    assert not Answer.objects.exists()


def test_script_in_answers_and_rationales_is_shown_as_text(
    make_study: Callable[..., Study],
) -> None:
    make_study(
        protocol={
            "type": "rate",
            "instrument": "counselbench-eval",
            "raters_per_item": 2,
            "items_per_rater": 2,
        }
    )
    Response.objects.update(text=SCRIPT)
    one, _ = two()
    client = agreed(one)
    page = first_page(one)
    base = links.path(one)
    fields = {"dimension": "overall", "overall": "2", "overall.rationale": f"</textarea>{SCRIPT}"}
    assert save(client, base, page, **fields).status_code == 200
    shown = client.get(f"{base}a/{page.pk}/").content.decode()
    assert "<script>alert" not in shown
    assert "<img src=x" not in shown
    assert "&lt;script&gt;alert" in shown


def test_a_post_that_is_too_large_is_refused(study: Study) -> None:
    one, _ = two()
    client = agreed(one)
    page = first_page(one)
    big = save(client, links.path(one), page, **{"does_no_harm.rationale": "x" * 400_000})
    assert big.status_code in (400, 413)
    long = save(client, links.path(one), page, **{"does_no_harm.rationale": "x" * 50_000})
    assert long.status_code == 400
    assert not Answer.objects.exists()


@pytest.mark.parametrize(
    "fields",
    [
        {"place": "-1"},
        {"place": "99"},
        {"place": "x"},
        {"place": "9" * 400},
        {"seconds": "nan"},
        {"seconds": "inf"},
        {"seconds": "-5"},
        {"client": ""},
        {"client": "y" * 41},
        {"dimension": "nothing"},
        {"does_no_harm": "17"},
        {"does_no_harm": "\x00"},
        {"does_no_harm.offsets": "{"},
        {"does_no_harm.offsets": "[[0, 1e9, null]]"},
    ],
)
def test_odd_posts_never_break_the_server(study: Study, fields: dict[str, str]) -> None:
    one, _ = two()
    answer = save(agreed(one), links.path(one), first_page(one), **fields)
    assert answer.status_code in (200, 400)
    page = first_page(one)
    assert 0 <= page.seconds <= 3_600


def test_no_page_of_a_rater_names_a_source_or_a_response(study: Study) -> None:
    one, _ = two()
    client = agreed(one)
    page = first_page(one)
    shown = client.get(f"{links.path(one)}a/{page.pk}/").content.decode()
    assert "this is what" in shown.lower()
    for response in Response.objects.all():
        assert response.response_id not in shown
        for source in response.sources:
            assert not re.search(rf"\b{source}\b", shown)


def test_every_answer_forbids_whatever_is_not_ours(study: Study) -> None:
    one, _ = two()
    for path in (links.path(one), f"{links.path(one)}consent/", "/r/nobody/", "/static/none.js"):
        policy = browser().get(path).headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy


def test_pages_of_people_are_in_no_cache(study: Study) -> None:
    one, _ = two()
    answer = browser().get(f"{links.path(one)}consent/")
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Referrer-Policy"] == "same-origin"


def addresses(patterns: list[Any], start: str = "") -> list[str]:
    found = []
    for one in patterns:
        path = start + str(one.pattern)
        if isinstance(one, URLResolver):
            found += addresses(one.url_patterns, path)
        elif isinstance(one, URLPattern):
            found.append(path)
    return found


def test_no_page_of_the_owner_opens_without_a_login(study: Study) -> None:
    paths = [p for p in addresses(get_resolver().url_patterns) if p.startswith("owner/")]
    assert paths
    for path in paths:
        if path in ("owner/login/", "owner/logout/") or "once" in path:
            continue
        concrete = "/" + re.sub(r"<[^>]+>", "1", path)
        for method in ("get", "post"):
            answer = getattr(browser(), method)(concrete)
            assert answer.status_code in (302, 403, 405), (concrete, method, answer.status_code)
            if answer.status_code == 302:
                assert "/login/" in answer.headers["Location"]


def test_going_on_never_leads_to_another_site(study: Study) -> None:
    one, _ = two()
    client = agreed(one)
    answer = client.post(
        f"{links.path(one)}language/", {"language": "it", "next": "https://elsewhere.example/"}
    )
    assert answer.headers["Location"] == links.path(one)


@pytest.mark.parametrize("pk", ["0", "9" * 30, "-1", "1e3"])
def test_an_odd_page_number_finds_nothing(study: Study, pk: str) -> None:
    one, _ = two()
    assert agreed(one).get(f"{links.path(one)}a/{pk}/").status_code == 404
