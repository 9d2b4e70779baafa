"""Whether an address is this machine: what is sent there goes nowhere else."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit


def is_loopback(url: str) -> bool:
    """Return whether a URL's host is this machine, by name or number.

    >>> is_loopback("http://127.0.0.1:8000/v1"), is_loopback("http://127.example.org/v1")
    (True, False)
    """
    return is_loopback_host(urlsplit(url).hostname or "")


def is_loopback_host(host: str) -> bool:
    """Return whether a host is this machine, by name or number.

    >>> is_loopback_host("::1"), is_loopback_host("0.0.0.0")
    (True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
