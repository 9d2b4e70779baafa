"""Emotion consistency compares ranked labels with the reference's."""

import pytest

from attunement.models.emotion import EmotionModel
from attunement.raters.metrics.base import Batch
from attunement.raters.metrics.emotion_consistency import METRIC
from attunement.raters.metrics.rbo import rbo


def scores(model, answers, references, variant="standard", gold=()):
    batch = Batch(answers=answers, references=references, emotion=model, gold=gold)
    return METRIC.scores(batch, variant)


def test_the_same_emotions_in_the_same_order_are_1(listed_emotions: EmotionModel) -> None:
    (score,) = scores(listed_emotions, ["joy 0.9, love 0.4"], ["joy 0.7, love 0.6"])
    assert score.value == pytest.approx(1)


def test_order_matters_and_a_tie_is_between_its_orders(listed_emotions: EmotionModel) -> None:
    reference = "joy 0.7, love 0.6"
    answers = ["joy 0.9, love 0.4", "love 0.5, joy 0.5", "love 0.9, joy 0.4"]
    same, tied, turned = (s.value for s in scores(listed_emotions, answers, [reference] * 3))
    assert same > tied > turned
    assert tied == pytest.approx(rbo([["joy", "love"]], [["joy"], ["love"]], p=0.9))


def test_paper_keeps_the_order_of_equal_weights(listed_emotions: EmotionModel) -> None:
    (score,) = scores(listed_emotions, ["love 0.5, joy 0.5"], ["joy 0.7, love 0.6"], "paper")
    assert score.value == pytest.approx(rbo([["love"], ["joy"]], [["joy"], ["love"]], p=0.9))


def test_one_empty_list_is_0_and_two_are_not_applicable(listed_emotions: EmotionModel) -> None:
    one, both = scores(listed_emotions, ["joy 0.9", "nothing at all"], ["none", "none"])
    assert one.value == 0
    assert both.value is None
    assert both.reason == "neither the answer nor the reference shows an emotion"


def test_the_reference_is_not_compared_with_itself(listed_emotions: EmotionModel) -> None:
    (score,) = scores(listed_emotions, ["joy 0.9"], ["joy 0.9"], gold=[True])
    assert score == (None, "the reference is not compared with itself")


def test_each_text_is_classified_once(listed_emotions) -> None:
    scores(listed_emotions, ["joy 0.9", "joy 0.9", "love 0.3"], ["joy 0.9"] * 3)
    assert listed_emotions.asked == ["joy 0.9", "love 0.3"]


def test_the_signature_names_the_model(listed_emotions: EmotionModel) -> None:
    batch = Batch(answers=["x"], references=["y"], emotion=listed_emotions)
    signed = METRIC.signature(batch, "standard")
    assert signed.startswith("emotion_consistency|variant:standard|overlap:rbo_ext|p:0.9|ties:a|")
    assert "emotion:listed-1" in signed


def test_the_embedded_model_sees_which_answer_is_nearer() -> None:
    reference = "I am so sorry for your loss. I can hear how sad you are, and I grieve with you."
    answers = [
        "I'm sorry, that is so sad, and I feel for you in this grief.",
        "Haha, amazing! That is hilarious, lol, I love it!",
    ]
    near, far = (
        s.value for s in METRIC.scores(Batch(answers, references=[reference] * 2), "standard")
    )
    assert near is not None
    assert far is not None
    assert near > far
