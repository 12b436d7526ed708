"""Every score can be imported from one place, and stands in the documentation."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import stillproof.score

FOLDER = Path(stillproof.score.__file__).parent
PAGE = Path(__file__).parents[2] / "docs" / "api.md"
# Parts of scores and of metrics, which nobody outside asks for.
INSIDE = {
    *("Resamples", "agreement", "no_agreement", "signs", "Quantity", "accuracies", "seconds", "passes", "pool_of"),
    *("no_arrays", "all_known", "ShareOfImages", "ShareUnderAttack", "AnswerShare", "ScoreOfShares", "MadeOfShares"),
}


def defined() -> set[str]:
    """Return all functions and classes of the package whose names have no underscore."""
    files = [path for path in FOLDER.glob("*.py") if path.name != "__init__.py"]
    nodes = [node for path in files for node in ast.parse(path.read_text(encoding="utf-8")).body]
    return {
        node.name
        for node in nodes
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
    }


def test_every_score_can_be_imported_from_the_package() -> None:
    for name in defined() - INSIDE:
        assert callable(getattr(stillproof.score, name, None)), name


def test_every_score_stands_in_the_documentation() -> None:
    (section,) = re.findall(r"^## Scores\n(.*?)^## ", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    rows = [line for line in section.splitlines() if line.startswith("| ")]
    assert set(re.findall(r"`(\w+)`", "".join(rows))) == defined() - INSIDE
