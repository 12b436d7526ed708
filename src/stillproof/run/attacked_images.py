"""What attacked images are kept as. A file of its own, because cells are named by the files behind them."""

from __future__ import annotations

EXAMPLES = "examples"  # their kind of artifact
ONLY_PIXELS = "only pixels can be shown to any network, so attack under another protocol."
