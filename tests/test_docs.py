from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from commands import TINY, Commands
from stillproof.core.components import REGISTRIES, stages

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "add-a-method.md"


def blocks(language: str) -> list[str]:
    found = re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert found
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (source,) = blocks("python")
    (tmp_path / "moments.py").write_text(source, encoding="utf-8")
    return tmp_path


def test_the_method_of_the_page_keeps_the_contract(folder: Path, stillproof: Commands) -> None:
    checks = stillproof("check", "moments.py", "--json", cwd=folder).json()["checks"]
    assert len(checks) >= 5 and all(check["ok"] for check in checks), checks


def test_the_method_of_the_page_learns(folder: Path, stillproof: Commands) -> None:
    distill = ["distill", "digits", "moments", "--plugin", "moments.py", "--ipc", "2", "--scale", "quick"]
    network = ["--network", "convnet-2:width=16"]
    settings = ["--set", "batch_real=20", "--set", "steps=60"]
    made = stillproof(*distill, *network, *settings, "--json", cwd=folder).json()
    script = """
import statistics, sys
from stillproof.store.store import open_store
with open_store() as store:
    history = [entry["loss"] for entry in store.results.get(sys.argv[1]).result["history"]]
print(statistics.mean(history[:15]), statistics.mean(history[-15:]))
"""
    early, late = map(float, stillproof.python(script, made["cell"], cwd=folder).out.split())
    assert late < 0.75 * early


def test_the_commands_of_the_page_work(folder: Path, stillproof: Commands) -> None:
    (listed,) = blocks("sh")
    for line in listed.splitlines():
        program, verb, *rest = shlex.split(
            line.replace("--scale quick", "--scale smoke").replace("every=10", "every=1")
        )
        assert program == "stillproof"
        small = [*TINY, *(["--seeds", "1"] if verb == "run" else [])] if verb in ("distill", "run") else []
        done = stillproof(verb, *rest, *small, cwd=folder)
        assert done.code == 0 and done.out, (line, done.err)
    assert (folder / "gallery.png").is_file()


def test_the_entry_point_of_the_page_is_of_a_group_that_is_read() -> None:
    (text,) = blocks("toml")
    (group,) = tomllib.loads(text)["project"]["entry-points"]
    assert group.removeprefix("stillproof.") in REGISTRIES


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    missing = [link for link in links if not (page.parent / link).exists()]
    assert missing == []


def test_the_page_on_the_architecture_names_every_stage_and_only_files_that_are_there() -> None:
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    table = text[text.index("| stage | its question |") :].partition("\n\n")[0]
    named = [name for line in table.splitlines()[2:] for name in re.findall(r"`([\w-]+)`", line.split("|")[1])]
    assert sorted(named) == sorted(stages.entries())
    files = re.findall(r"`((?:\w+/)+\w+\.py)`", text)
    roots = (DOCS.parent / "src" / "stillproof", DOCS.parent)
    assert files and [file for file in files if not any((root / file).is_file() for root in roots)] == []
