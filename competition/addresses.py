"""Addresses that users give."""

from __future__ import annotations

from urllib.parse import urlsplit


def is_http_address(text: str) -> bool:
    """Whether a text is an HTTP address with a host and, if it has one, a possible port."""
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # of an unclosed bracket, or a port that is out of range
        return False
