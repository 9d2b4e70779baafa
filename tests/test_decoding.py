import pytest

from attunement.decoding import decode_json, decode_yaml


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "line 1"),
        ("[" * 100_000, "too deep"),
        ("9" * 5_000, "digits"),
        ('{"a": NaN}', "null"),
        (b"\xff", "UTF-8"),
    ],
)
def test_every_way_to_be_wrong_is_a_value_error(text: str | bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        decode_json(text)


def test_json_is_read() -> None:
    assert decode_json('{"a": [1, null, "\u00e9"]}') == {"a": [1, None, "é"]}


def test_an_alias_is_read() -> None:
    assert decode_yaml("a: &x [1]\nb: *x") == {"a": [1], "b": [1]}


def test_aliases_that_grow_without_bound_are_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(ValueError, match=r"aliases .* too large"):
        decode_yaml("\n".join(lines))


def test_a_large_file_without_aliases_is_said_to_be_large() -> None:
    text = "".join(f"- {n}\n" for n in range(100_001))
    with pytest.raises(ValueError, match=r"too large: it has more than 100,000 entries") as caught:
        decode_yaml(text)
    assert "alias" not in str(caught.value)


@pytest.mark.parametrize("text", ["[" * 20_000, "a: [", "name: 2020-99-99", "a: &a [*a]"])
def test_what_is_no_file_of_ours_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        decode_yaml(text)
