from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from commands import TINY, Commands
from stillproof.core.components import REGISTRIES, suites
from test_docs_commands import VERBS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
NUMBER = r"-?\d+\.\d+"
SMALL = {
    "distill": [*TINY, "--scale", "smoke"],
    "run": [*TINY, "--scale", "smoke", "--seeds", "1", "--set", "full_recipe="],
}


def commands(section: str = "") -> list[list[str]]:
    """The commands of a section of README, or of all of it."""
    text = README.partition(f"\n## {section}\n")[2].partition("\n## ")[0] if section else README
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    found = [shlex.split(line, comments=True) for block in blocks for line in block.splitlines()]
    assert found
    return found


def python_with(word: str) -> str:
    """The one block of Python in README that has this word."""
    (block,) = [text for text in re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL) if word in text]
    return str(block)


def findings() -> Iterator[tuple[str, Path]]:
    """The rows of the table of findings, each with the page that explains it."""
    page = ROOT
    for row in re.findall(r"^\| \d\. .*$", README, re.MULTILINE):
        for link in re.findall(r"\]\(([^)#]+)", row):
            page = ROOT / link
        yield row, page


@pytest.mark.parametrize(("row", "page"), [*findings()], ids=range(1, 1 + len([*findings()])))
def test_every_number_that_was_found_stands_in_the_page_that_explains_it(row: str, page: Path) -> None:
    numbers = re.findall(NUMBER, row)
    assert numbers and set(numbers) - set(re.findall(NUMBER, page.read_text(encoding="utf-8"))) == set()


def test_links_lead_somewhere() -> None:
    for link in re.findall(r"\]\(([^):]+)\)", README):
        path, _, anchor = link.partition("#")
        assert (ROOT / path).exists(), link
        titles = re.findall(r"^#+ (.*)$", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE) if anchor else []
        assert not anchor or anchor in [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles]


def test_the_commands_exist_with_their_options() -> None:
    ours = [words[1:] for words in commands() if words[0] == "stillproof"]
    for verb, *rest in ours:
        assert {word for word in rest if word.startswith("-")} <= VERBS[verb], verb
    assert len(ours) > 10


def test_the_table_of_suites_has_all_of_them() -> None:
    table = README.partition("| suite | its question |")[2].partition("\n\n")[0]
    assert sorted(re.findall(r"^\| \[?`([\w-]+)`", table, re.MULTILINE)) == sorted(suites.entries())


def test_the_components_that_are_named_exist() -> None:
    listed = README.partition("names all components, among them:\n\n")[2].partition("\n\n")[0]
    known = {name for registry in REGISTRIES.values() for name in registry.entries()}
    named = set(re.findall(r"`([\w-]+)`", listed))
    assert len(named) > 30 and named - known == set()


def test_the_python_that_scores_tensors_runs(tmp_path: Path, stillproof: Commands) -> None:
    done = stillproof.python(python_with("evaluate").replace('"quick"', '"smoke"'), cwd=tmp_path)
    assert done.code == 0 and done.out.endswith(" 3\n"), done.err


def test_the_line_that_computes_a_score_gives_the_number_of_its_row(tmp_path: Path, stillproof: Commands) -> None:
    (line,) = [words[2] for words in commands("What it found") if words[0] == "python"]
    (score,) = re.findall(r"LRS.*?\| ([\d.]+) \|", README)
    assert f"{100 * float(stillproof.python(line, cwd=tmp_path).out):.1f}" == score


def test_the_method_that_is_shown_is_part_of_the_example() -> None:
    example = (ROOT / "examples" / "median_method.py").read_text(encoding="utf-8")
    shown = [line for line in python_with("distillers").splitlines() if line and '"""' not in line]
    assert shown and [line for line in shown if line.removesuffix(" ...") not in example] == []


@pytest.mark.slow
@pytest.mark.parametrize("section", ["My set beside others, and third-party sets", "Your own data"])
def test_the_commands_of_a_section_work(section: str, tmp_path: Path, stillproof: Commands) -> None:
    draws = np.random.default_rng(0)
    np.savez(tmp_path / "mine.npz", images=draws.random((20, 1, 8, 8), np.float32), labels=np.arange(20) % 10)
    for folder in ("train/oak", "train/ash", "test/oak", "test/ash"):
        (tmp_path / "DIR" / folder).mkdir(parents=True)
        for number in range(12):
            pixels = draws.integers(0, 256, (16, 16, 3), np.uint8)
            Image.fromarray(pixels).save(tmp_path / "DIR" / folder / f"{number}.png")
    for _, verb, *rest in commands(section):
        done = stillproof(verb, *rest, *SMALL.get(verb, []), cwd=tmp_path)
        assert done.code == 0 and done.out, (verb, rest, done.err)
