"""Names of folders and pools, made of what people call things."""

from __future__ import annotations

import re

LONGEST = 100  # letters; file systems take 255 bytes


def safe_name(text: str) -> str:
    """Return a text as a name: ASCII letters, digits and . _ + -, beginning with a letter or digit."""
    name = re.sub(r"[^A-Za-z0-9_.+-]+", "-", text)
    return re.sub(r"^[^A-Za-z0-9]+", "", name)[:LONGEST].rstrip("-.")
