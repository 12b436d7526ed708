"""Whether things are done correctly, or just as a benchmark that came before did them."""

from __future__ import annotations

from typing import Literal

Protocol = Literal["fair", "faithful"]
