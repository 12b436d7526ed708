"""Names of folders and pools, made of what people call things."""

from __future__ import annotations

import re
from typing import TypeGuard

LONGEST = 100  # letters; file systems take 255 bytes
MOST_BYTES = 200  # of a name that came from elsewhere, which leaves room for what is added to it


def safe_name(text: str) -> str:
    """Return a text as a name: ASCII letters, digits and . _ + -, beginning with a letter or digit."""
    name = re.sub(r"[^A-Za-z0-9_.+-]+", "-", text)
    return re.sub(r"^[^A-Za-z0-9]+", "", name)[:LONGEST].rstrip("-.")


def is_file_name(text: object) -> TypeGuard[str]:
    """Say whether a value can name one file in a folder on every system, and can be printed: no path, no hidden file.

    What people call their things may hold spaces and letters of any language, which ``safe_name`` would change.
    """
    if not isinstance(text, str) or not text.isprintable() or text != text.strip() or text.startswith((".", "-", "~")):
        return False
    return 0 < len(text.encode()) <= MOST_BYTES and not re.search(r'[/\\:*?"<>|]', text)
