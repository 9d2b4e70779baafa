"""Speed, flags, agreement and adjudication as pages."""

from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.test import Client

from attunement.studies import adjudication
from attunement.studies.models import Adjudication, Answer, Stage, Study
from studies.filling import fill

RATE = {
    "type": "rate",
    "instrument": "counselbench-eval",
    "raters_per_item": 2,
    "items_per_rater": 3,
}
PAGES = ["", "coverage/", "raters/", "agreement/", "differing/", "people/", "people/table/", "log/"]


@pytest.mark.parametrize("path", PAGES)
def test_every_page_works_before_anything_was_answered(
    owner: Client, make_study: Callable[..., Study], path: str
) -> None:
    make_study()
    assert owner.get(f"/owner/{path}").status_code == 200


def test_who_rushes_is_marked_in_words(owner: Client, make_study: Callable[..., Study]) -> None:
    make_study(items=3, protocol=RATE, too_fast_s=1.0)
    fill(careless=["R001"])
    page = owner.get("/owner/raters/").content.decode()
    assert page.count('<span class="flag">look</span>') == 1
    assert "3 of 3" in page


def test_agreement_states_what_it_is(owner: Client, make_study: Callable[..., Study]) -> None:
    make_study(items=3, protocol=RATE)
    fill()
    page = owner.get("/owner/agreement/").content.decode()
    assert page.count("Krippendorff&#x27;s alpha, ordinal") >= 4
    assert "bootstrap" in page


def differing(make_study: Callable[..., Study]) -> tuple[Stage, Answer]:
    make_study(items=1, protocol={**RATE, "items_per_rater": 1})
    fill()
    Answer.objects.filter(dimension="empathy").update(value=3)
    where = Answer.objects.filter(dimension="empathy", unit_id="q0-alpha").order_by("pk")
    first = where[0]
    first.value, first.rationale = 5, "<script>alert(1)</script> warm"
    first.save()
    return Stage.objects.get(), first


def test_a_difference_is_shown_without_its_source(
    owner: Client, make_study: Callable[..., Study]
) -> None:
    stage, answer = differing(make_study)
    listed = owner.get("/owner/differing/").content.decode()
    page = owner.get(f"/owner/differing/{stage.pk}/{answer.pk}/").content.decode()
    assert "Empathy" in listed
    for text in (listed, page):
        assert "alpha" not in text.replace("Krippendorff", "")
    assert "R001" in page
    assert "R002" in page


def test_what_raters_wrote_is_text_and_no_script(
    owner: Client, make_study: Callable[..., Study]
) -> None:
    stage, answer = differing(make_study)
    page = owner.get(f"/owner/differing/{stage.pk}/{answer.pk}/").content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; warm" in page


def test_a_consensus_is_recorded_and_shown(owner: Client, make_study: Callable[..., Study]) -> None:
    stage, answer = differing(make_study)
    where = f"/owner/differing/{stage.pk}/{answer.pk}/"
    said = owner.post(where, {"empathy": "4", "note": "after talking"}, follow=True)
    assert "The consensus is recorded" in said.content.decode()
    assert Adjudication.objects.get().value == 4.0
    again = owner.get(where).content.decode()
    assert "Recorded by owner" in again
    assert "after talking" in again
    left = [d.dimension.id for _, d, _, _ in owner.get("/owner/differing/?open=1").context["rows"]]
    assert "empathy" not in left


def test_no_choice_is_asked_for_again(owner: Client, make_study: Callable[..., Study]) -> None:
    stage, answer = differing(make_study)
    page = owner.post(f"/owner/differing/{stage.pk}/{answer.pk}/", {"note": "x"})
    assert "please choose an answer" in page.content.decode()
    assert '<input type="radio" name="empathy" value="5"' in page.content.decode()
    assert ">x</textarea>" in page.content.decode()
    assert not Adjudication.objects.exists()


def test_an_answer_of_another_kind_of_page_cannot_be_settled(
    owner: Client, make_study: Callable[..., Study]
) -> None:
    stage, answer = differing(make_study)
    answer.assignment.kind = "repeat"
    answer.assignment.save()
    assert owner.get(f"/owner/differing/{stage.pk}/{answer.pk}/").status_code == 404
    assert owner.get(f"/owner/differing/{stage.pk + 1}/{answer.pk}/").status_code == 404


def test_choices_among_answers_are_compared_without_naming_their_sources(
    owner: Client, make_study: Callable[..., Study]
) -> None:
    make_study(
        protocol={"type": "filter-choose-annotate", "raters": 2, "raters_per_item": 2}
        | {"annotators_per_item": 1}
    )
    fill()
    stage = Stage.objects.get(key="filter")
    choices = Answer.objects.filter(labels__isnull=False, assignment__item__item_id="q0")
    one, other = choices.order_by("pk")
    one.labels, one.value = ["q0-alpha"], 1.0
    other.labels, other.value = [], 0.0
    one.save()
    other.save()
    cache.clear()
    page = owner.get("/owner/agreement/").content.decode()
    assert "jaccard" in page
    page = owner.get(f"/owner/differing/{stage.pk}/{one.pk}/").content.decode()
    assert "none of these" in page
    assert "q0-alpha" not in page
    aliases = adjudication.unit_of(one).aliases
    option = next(option for option, label in aliases.items() if label == "q0-alpha")
    owner.post(f"/owner/differing/{stage.pk}/{one.pk}/", {one.dimension: option})
    assert Adjudication.objects.get().labels == ["q0-alpha"]


def test_agreement_is_not_spoken_of_where_each_answers_about_their_own_conversation(
    owner: Client, make_chat: Callable[..., Study]
) -> None:
    make_chat()
    assert "Agreement does not apply" in owner.get("/owner/agreement/").content.decode()
