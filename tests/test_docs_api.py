"""The page on Python: its examples work, one after another, and it leaves no public name out."""

from __future__ import annotations

import importlib.util
import inspect
import re
import shutil
from pathlib import Path

import stillproof
from commands import Commands
from stillproof.session import Session

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
WITH_PANDAS = re.findall(r"^```python pandas\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_the_examples_of_the_page_work(tmp_path: Path, stillproof: Commands) -> None:
    shutil.copy(ROOT / "examples" / "median_method.py", tmp_path)
    examples = [*EXAMPLES, *(WITH_PANDAS if importlib.util.find_spec("pandas") else ())]
    done = stillproof.python("\n".join(examples), cwd=tmp_path)
    assert done.code == 0, done.err
    for words in ("95 % interval", "Are these sets different?", "did you mean 'accuracy'?", "a value of type int"):
        assert words in done.out
    assert (tmp_path / "figures" / "accuracy.svg").is_file() and (tmp_path / "gallery.png").is_file()


def test_the_page_has_an_example_of_every_public_name() -> None:
    shown = "\n".join((*EXAMPLES, *WITH_PANDAS))
    assert [name for name in stillproof.__all__ if not re.search(rf"\b{name}\b", shown)] == []
    methods = [name for name, _ in inspect.getmembers(Session, inspect.isfunction) if not name.startswith("_")]
    assert len(methods) > 15
    assert [name for name in methods if f".{name}(" not in shown] == []
