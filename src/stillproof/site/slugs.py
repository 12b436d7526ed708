"""Names of pages, made of what people call methods and data sets: no two names share a page."""

from __future__ import annotations

import hashlib

from stillproof.core.safe_name import safe_name

LONGEST = 60  # letters
TELLING = 6  # digits of a hash that tell names apart which look alike


def slug(text: str) -> str:
    """Return a name for a file: a plain, short text in small letters as it is, else its beginning and a hash."""
    plain = safe_name(text)[:LONGEST]
    if plain == text.lower() == text:  # some file systems know no capitals
        return plain
    mark = hashlib.sha256(text.encode()).hexdigest()[:TELLING]
    return f"{plain}-{mark}" if plain else mark


def method_page(method: str) -> str:
    """Return the name of the page of a method."""
    return f"method-{slug(method)}.html"
