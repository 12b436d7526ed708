"""What stands above the panel of a search, whatever draws it."""

from __future__ import annotations

from stillproof.report.figures.values import Search
from stillproof.score.agreement import Estimate


def correlations(search: Search) -> list[str]:
    """Return how far a search agrees with the truth, in lines."""
    published = f", published {search.published.spearman:.2f}" if search.published else ""
    agreement = search.agreement
    return [f"Spearman {_text(agreement.spearman)}{published}", f"Kendall {_text(agreement.kendall)}"]


def _text(estimate: Estimate) -> str:
    if estimate.value is None:
        return "-"
    interval = "" if estimate.ci95 is None else f" [{estimate.ci95[0]:.2f}, {estimate.ci95[1]:.2f}]"
    return f"{estimate.value:.2f}{interval}"
