"""This machine is told from others."""

import pytest

from attunement.loopback import is_loopback, is_loopback_host


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://127.0.0.1:8000/v1", True),
        ("http://localhost/v1", True),
        ("http://[::1]:8000/v1", True),
        ("https://api.example.org/v1", False),
        ("https://127.0.0.1.example.org/v1", False),
        ("http://localhost.example.org", False),
        ("http://10.0.0.1/v1", False),
    ],
)
def test_this_machine_is_told_from_others(url: str, here: bool) -> None:
    assert is_loopback(url) is here


@pytest.mark.parametrize(
    ("host", "here"),
    [("localhost", True), ("127.0.0.2", True), ("::1", True), ("0.0.0.0", False), ("", False)],
)
def test_a_host_to_serve_on_is_this_machine_or_not(host: str, here: bool) -> None:
    assert is_loopback_host(host) is here
