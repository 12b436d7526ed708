"""What attacked images are kept as. A file of its own, because cells are named by the files behind them."""

from __future__ import annotations

EXAMPLES = "examples"  # their kind of artifact, as an attack on a split keeps them
ATTACKED_SET = "attacked-set"  # and as a set to learn from, with the source of each
ONLY_PIXELS = "only pixels can be shown to any network, so attack under another protocol."
