"""The recipes that sets are trained by where nothing else is said; apart from what builds them, which names methods."""

from __future__ import annotations

DEFAULT_RECIPE = "dc-bench"
# Learned labels are values of a regression, no probabilities. The original trains on them by squared error, at the
# largest step size that is stable; squared errors are small, so that the usual one would hardly move a network.
LEARNED_LABELS = "dc-bench:objective=mse:lr=0.1"
