"""Fine-tuned generators: what they answer, how probable it is, and the folders they are kept in."""

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from attunement.errors import UserError
from attunement.respond import generator_storage, training
from attunement.respond._tuned import TunedGenerator
from attunement.respond.causal import CausalGenerator
from attunement.respond.exchanges import Exchange
from attunement.respond.generator import Generator
from attunement.respond.seq2seq import Seq2SeqGenerator
from stubs import tiny_hf

CONTEXTS = [
    ["hello how are you ?"],
    ["where is the cup ?", "over there .", "what ?"],
    ["i am sad ."],
]
KINDS = ["causal", "seq2seq"]


@pytest.fixture(autouse=True)
def only_transformers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.node.get_closest_marker("train"):
        tiny_hf.no_datasets(monkeypatch)


@pytest.fixture
def made(tmp_path: Path) -> Callable[..., Any]:
    def make(kind: str, **how: Any) -> TunedGenerator:
        import transformers

        save = tiny_hf.save_gpt2 if kind == "causal" else tiny_hf.save_bart
        folder = save(tmp_path / kind, **how)
        cls = generator_storage.KINDS[kind]
        model = getattr(transformers, cls.auto).from_pretrained(folder)
        words = transformers.AutoTokenizer.from_pretrained(folder)
        return cls(model, words, context=3, longest=8, signature="tiny")

    return make


def forward(generator: TunedGenerator, turns: Sequence[str], answer: list[int]) -> float:
    """Return an answer's log-probability from one plain forward pass, written for each kind."""
    import torch

    ids = generator.tokenizer.convert_tokens_to_ids
    with torch.no_grad():
        if generator.kind == "causal":
            before = ids([w for t in turns for w in (*t.split(), "<end>")])
            logits = generator.model(input_ids=torch.tensor([before + answer])).logits[0]
            rows = logits[len(before) - 1 : -1]
        else:
            given = ids(["<s>", *" </s> ".join(turns).split(), "</s>"])
            start = ids("</s>")
            rows = generator.model(
                input_ids=torch.tensor([given]),
                decoder_input_ids=torch.tensor([[start, *answer[:-1]]]),
            ).logits[0]
    chances = rows.double().log_softmax(-1)
    return sum(float(chances[i, token]) for i, token in enumerate(answer))


@pytest.mark.train
@pytest.mark.parametrize("kind", KINDS)
def test_an_answers_logprob_is_that_of_one_forward_pass(
    made: Callable[..., Any], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = made(kind)
    decode, tokens = generator.tokenizer.decode, {}

    def remember(ids: list[int], **how: Any) -> str:
        text: str = decode(ids, **how).strip()
        tokens.setdefault(text, ids)
        return text

    monkeypatch.setattr(generator.tokenizer, "decode", remember)
    ended = 0
    for context in CONTEXTS:
        tokens.clear()
        (answers,) = generator.answer([context], n=10)
        for answer in answers:
            ids = tokens[answer.text]
            assert answer.logprob == pytest.approx(forward(generator, context, ids), abs=1e-4)
            assert answer.tokens == len(ids) <= 8
            ended += ids[-1] == generator.tokenizer.eos_token_id
    assert ended >= 5


@pytest.mark.train
def test_more_beams_find_an_answer_at_least_as_probable(made: Callable[..., Any]) -> None:
    generator = made("causal")
    few, many = (generator.answer(CONTEXTS, n=n) for n in (1, 10))
    for one, ten in zip(few, many, strict=True):
        assert len(one) == 1
        assert len(ten) > 1
        assert ten[0].logprob >= one[0].logprob - 1e-5


LESSONS = [
    Exchange(("hello how are you ?",), "i am fine ."),
    Exchange(("where is the cup ?", "over there .", "what ?"), "over there !"),
    Exchange(("i am sad .",), "what is it ?"),
]


def taught(generator: TunedGenerator) -> TunedGenerator:
    import torch

    torch.manual_seed(1)
    steps = torch.optim.AdamW(generator.model.parameters(), lr=1e-2)
    generator.model.eval()
    for _ in range(80):
        loss = generator.model(**generator.batch(LESSONS)).loss
        loss.backward()
        steps.step()
        steps.zero_grad()
    return generator


@pytest.mark.train
@pytest.mark.parametrize("kind", KINDS)
def test_what_was_learned_is_answered_first(made: Callable[..., Any], kind: str) -> None:
    generator = taught(made(kind))
    for lesson, answers in zip(LESSONS, generator.answer(CONTEXTS, n=4), strict=True):
        assert answers[0].text == lesson.response
        assert math.exp(answers[0].logprob) > 0.8
        assert [a.logprob for a in answers] == sorted((a.logprob for a in answers), reverse=True)
        assert len({a.text for a in answers}) == len(answers)
    (alone,) = generator.answer(CONTEXTS[:1])
    assert [a.text for a in alone] == ["i am fine ."]


@pytest.mark.train
@pytest.mark.parametrize("kind", KINDS)
def test_contexts_beside_it_do_not_change_an_answer(made: Callable[..., Any], kind: str) -> None:
    generator = made(kind)
    seen: list[int] = []
    together = generator.answer([*CONTEXTS, [], [" ", "\n"]], n=6, advance=seen.append)
    assert sum(seen) == 5
    assert together[3:] == [[], []]
    for context, answers in zip(CONTEXTS, together[:3], strict=True):
        (alone,) = generator.answer([context], n=6)
        assert [a.text for a in answers] == [a.text for a in alone]
        assert [a.logprob for a in answers] == pytest.approx([a.logprob for a in alone], abs=1e-4)
    assert generator.answer([], n=6) == []
    with pytest.raises(ValueError, match="at least one answer"):
        generator.answer(CONTEXTS, n=0)


@pytest.mark.train
@pytest.mark.parametrize("kind", KINDS)
def test_of_a_context_longer_than_the_window_the_end_is_read(
    made: Callable[..., Any], kind: str
) -> None:
    generator = made(kind)
    end = " ".join(["so i am sad and you ?"] * 6)
    long = [["hello " * 3000 + end], ["good " * 90 + end]]
    first, second = generator.answer(long, n=3)
    assert first
    assert [a.text for a in first] == [a.text for a in second]
    # Turns before the last three are left out, and turns without a text among them.
    asked = ["hello", "you ?", " ", "i am fine ."]
    assert generator.answer([asked], n=3) == generator.answer([[asked[1], asked[3]]], n=3)
    assert generator.batch([Exchange(("good " * 90,), "fine " * 90)])["labels"].shape[1] <= 32


@pytest.mark.train
@pytest.mark.parametrize("kind", KINDS)
def test_the_loss_is_that_of_the_answer_alone(made: Callable[..., Any], kind: str) -> None:
    generator = made(kind)
    generator.model.eval()
    for lesson in LESSONS:
        loss = generator.model(**generator.batch([lesson])).loss.item()
        words = ["<s>"] * (kind == "seq2seq") + [*lesson.response.split()]
        words.append(generator.tokenizer.eos_token)
        ids = generator.tokenizer.convert_tokens_to_ids(words)
        expected = -forward(generator, lesson.context, ids) / len(ids)
        assert loss == pytest.approx(expected, abs=1e-4)


@pytest.mark.train
def test_what_the_base_model_says_of_searching_does_not_count(made: Callable[..., Any]) -> None:
    import transformers

    plain = made("seq2seq")
    expected = plain.answer(CONTEXTS, n=4)
    plain.model.generation_config = transformers.GenerationConfig(
        num_beams=4, forced_bos_token_id=5, forced_eos_token_id=2, no_repeat_ngram_size=1
    )
    again = Seq2SeqGenerator(plain.model, plain.tokenizer, context=3, longest=8)
    assert again.answer(CONTEXTS, n=4) == expected


@pytest.mark.train
@pytest.mark.parametrize("kind", KINDS)
def test_a_generator_is_read_from_its_folder_as_it_was(
    made: Callable[..., Any], kind: str, tmp_path: Path
) -> None:
    generator = made(kind)
    generator_storage.write(generator, tmp_path / "model", data="0badc0de")
    again = training.load_generator(tmp_path / "model")
    assert isinstance(again, Generator)
    assert (again.kind, again.context, again.signature) == (kind, 3, "tiny")
    assert again.answer(CONTEXTS, n=5) == generator.answer(CONTEXTS, n=5)
    header = json.loads((tmp_path / "model" / "model.json").read_text(encoding="utf-8"))
    assert header["about"] == {"data": "0badc0de"}
    with pytest.raises(UserError, match="a generator is there already"):
        generator_storage.refuse(tmp_path / "model")
    generator_storage.refuse(tmp_path / "model", force=True)


@pytest.mark.train
@pytest.mark.parametrize(
    ("change", "said"),
    [({"kind": "planner"}, "kind 'planner' is unknown"), ({"context": 0}, "context is no whole"),
     ({"longest": "8"}, "longest is no whole"), ({"signature": None, "kind": []}, "cannot be read"),
     ({"format": "attunement-planner@1"}, "this is no generator")],
)  # fmt: skip
def test_a_damaged_folder_is_refused(
    made: Callable[..., Any], tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    folder = tmp_path / "model"
    generator_storage.write(made("causal"), folder)
    file = folder / "model.json"
    header = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**header, **change}), encoding="utf-8")
    with pytest.raises(UserError, match=said):
        training.load_generator(folder)
    file.write_text(json.dumps(header)[:40], encoding="utf-8")
    with pytest.raises(UserError, match="damaged"):
        training.load_generator(folder)


@pytest.mark.train
@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_folder_with_a_file_lost_or_cut_is_refused(
    made: Callable[..., Any], tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "model"
    generator_storage.write(made("causal"), folder)
    file = folder / "weights" / name
    file.write_bytes(file.read_bytes()[:50])
    with pytest.raises(UserError, match="cannot be read"):
        training.load_generator(folder)
    file.unlink()
    with pytest.raises(UserError, match="cannot be read"):
        training.load_generator(folder)


def test_a_folder_that_is_no_generator_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no model\.json"):
        training.load_generator(tmp_path)
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UserError, match="no generator is there"):
        generator_storage.refuse(tmp_path, force=True)


@pytest.mark.train
def test_code_in_a_folder_is_not_run(made: Callable[..., Any], tmp_path: Path) -> None:
    folder = tmp_path / "model"
    generator_storage.write(made("causal"), folder)
    touched = tmp_path / "touched"
    code = f"open({str(touched)!r}, 'w')\n"
    (folder / "weights" / "evil.py").write_text(code, encoding="utf-8")
    file = folder / "weights" / "config.json"
    config = json.loads(file.read_text(encoding="utf-8"))
    classes = {"AutoConfig": "evil.Config", "AutoModelForCausalLM": "evil.Model"}
    changed = {**config, "model_type": "evil", "auto_map": classes}
    file.write_text(json.dumps(changed), encoding="utf-8")
    with pytest.raises(UserError, match="cannot be read"):
        training.load_generator(folder)
    assert not touched.exists()


@pytest.mark.train
def test_a_tokenizer_without_an_end_is_refused(made: Callable[..., Any]) -> None:
    generator = made("causal")
    generator.tokenizer.eos_token = None
    with pytest.raises(UserError, match="no token that ends a text") as refused:
        CausalGenerator(generator.model, generator.tokenizer, context=3)
    assert str(refused.value.where).endswith("causal")  # the base model's folder


@pytest.mark.train
@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_is_in_main_memory_wherever_the_model_computes(
    made: Callable[..., Any], kind: str
) -> None:
    # The Trainer pins batches where there is a GPU, and only main memory can be pinned.
    generator = made(kind)
    generator.model.to("meta")
    batch = generator.batch([Exchange(("hello ?",), "i am here .")])
    assert {part.device.type for part in batch.values()} == {"cpu"}
    assert set(batch) == {"input_ids", "attention_mask", "labels"}
