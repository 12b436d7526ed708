from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image

from commands import TINY, Commands
from stillproof.core.components import networks
from stillproof.data.load import load

PAGE = Path(__file__).parents[2] / "docs" / "json.md"
PLUGIN = Path(__file__).parents[1] / "plugin_package" / "site" / "stillproof_brightest.py"
# Objects whose keys are data: what they hold is not part of the shape.
OPEN = (
    "about",
    "captions",
    "cells",
    "config",
    "snapshots",
    "params",
    "by_stage",
    "parts",
    "conflicts",
    "lost",
    "without",
    "busy",
    "renamed",
    "ranking",
    "value",
)
BROKEN = """
from dataclasses import dataclass
from stillproof import distillers
@distillers.register("broken", version=1)
@dataclass(frozen=True)
class Broken:
    def distill(self, data, ipc, ctx):
        raise RuntimeError("it went off")
"""
RUN = ["run", "accuracy", "--dataset", "digits", "--scale", "smoke", "--plugin", "broken.py", *TINY]
ATTACK_SET = [
    "attack-set",
    "build",
    "--dataset",
    "digits",
    "--model",
    "net.pth",
    "--attacks",
    "mad/13",
    "--per-class",
    "3",
]
THIRD_PARTY = "res_DC_digits_ConvNet_1ipc.pt"
SUITE = [*RUN, "--methods", "random", "--seeds", "2"]


def keys(value: Any, path: str = "") -> set[str]:
    """All keys of a JSON value, each with the way to it."""
    if isinstance(value, list):
        return set().union(*(keys(item, f"{path}[]") for item in value))
    if not isinstance(value, dict):
        return set()
    found = {f"{path}.{key}" for key in value}
    return found.union(*(keys(inner, f"{path}.{key}") for key, inner in value.items() if key not in OPEN))


def documented() -> dict[str, Any]:
    page = PAGE.read_text(encoding="utf-8")
    found = re.findall(r"^## stillproof ([^\n]+)\n(?:(?!^## ).)*?```json\n(.*?)```", page, re.MULTILINE | re.DOTALL)
    return {verb: json.loads(example) for verb, example in found}


def all_printed(stillproof: Commands, folder: Path) -> dict[str, Any]:
    """What every verb prints on one store, with a failed cell in it."""
    (folder / "broken.py").write_text(BROKEN)
    shutil.copy(PLUGIN, folder / "mine.py")
    np.savez(folder / "a.npz", images=np.zeros((10, 1, 8, 8), np.float32), labels=np.arange(10))
    test = load("digits", "test", folder)
    np.savez(folder / "test.npz", images=test.read(slice(0, 10)).numpy(), labels=np.arange(10))
    body = networks.build(TINY[1]).build(channels=1, size=8, num_classes=10)
    torch.save(body.state_dict(), folder / "net.pth")
    learned = torch.randn(10, 1, 8, 8, generator=torch.Generator().manual_seed(0))
    results = {"data": [[learned, torch.arange(10)]], "accs_all_exps": {"ConvNetD1": [np.float64(0.25)]}}
    torch.save(results, folder / THIRD_PARTY)
    distill = ["distill", "digits", "dm", "--ipc", "1", "--scale", "smoke", "--snapshots", "1", *TINY]
    commands = {
        "run --dry-run": [*SUITE, "--dry-run", "--assume", "20TFLOPS"],
        "distill": distill,
        "distill again": distill,
        "import": ["import", "a.npz", "--dataset", "digits"],
        "pool add": ["pool", "add", "mine", "own"],
        "pool show": ["pool", "show", "mine"],
        "train digits": ["train", "digits", "--recipe", "smoke", "--seeds", "2", *TINY],
        "run": SUITE,
        "work": ["work"],
        "attack": ["attack", "net.pth", "--dataset", "digits", "--attack", "fgsm", "--limit", "20", "--check"],
        "table": ["table", "accuracy"],
        "table --by-class": ["table", "accuracy", "--by-class"],
        "compare": ["compare", "full", "random"],
        "plot": ["plot", "accuracy"],
        "audit": ["audit", "test.npz", "--dataset", "digits"],
        "card": ["card", "random"],
        "list": ["list", "distillers"],
        "show": ["show", "dm"],
        "show --config": ["show", "accuracy", "--config", "--scale", "smoke"],
        "data list": ["data", "list"],
        "gallery": ["gallery", "--run", "accuracy", "--out", "deep/g.png"],
        "check": ["check", "mine.py"],
        "cite": ["cite", "accuracy"],
        "doctor": ["doctor"],
        "db export-results": ["db", "export-results", "--run", "accuracy", "--out", "r.json", "--name", "talk"],
        "db import-results": ["db", "import-results", "r.json"],
        "db backup": ["db", "backup", "b.db"],
        "db copy": ["db", "copy", "stillproof.db", "copy.db"],
        "db upgrade": ["db", "upgrade"],
        "verify --dry-run": ["verify", "talk", "--dry-run"],
        "verify": ["verify", "r.json", "--store", "v.db"],
        "zoo list": ["zoo", "list"],
        "zoo get": ["zoo", "get", "dm-digits-10ipc"],
        "attack-bench": ["attack-bench", "net.pth", "--dataset", "digits", "--attack", "fmn", "--limit", "20"],
        "attack-set build": [*ATTACK_SET],
        "attack-set build --dry-run": [*ATTACK_SET, "--dry-run"],
        "train": ["train", THIRD_PARTY, "--dataset", "digits", "--recipe", "smoke", "--seeds", "2", *TINY],
    }
    found = {name: stillproof(*argv, "--json", cwd=folder).json() for name, argv in commands.items()}
    failed = stillproof(*RUN, "--methods", "broken", "--seeds", "1", "--set", "full_recipe=", "--json", cwd=folder)
    found["run with failures"] = json.loads(failed.out)
    found["failed code"] = failed.code
    found["why"] = stillproof("why", found["distill"]["cell"], "--json", cwd=folder).json()
    assert stillproof("distill", "digits", "broken", "--ipc", "2", "--plugin", "broken.py", cwd=folder).code == 1
    found["status"] = stillproof("status", "--json", cwd=folder).json()
    assert stillproof("distill", "digits", "random", "--ipc", "2", *TINY, "--store", "o.db", cwd=folder).code == 0
    for verb in ("db merge o.db", "db rm 3", "db prune"):
        found[" ".join(verb.split()[:2])] = stillproof(*verb.split(), "--json", cwd=folder).json()
    with Image.open(folder / "deep" / "g.png") as picture:
        found["size"] = picture.size
    found["folder"] = folder
    return found


def test_every_verb_prints_what_the_page_says(tmp_path: Path, stillproof: Commands) -> None:
    printed = all_printed(stillproof, tmp_path)  # takes seconds, so it is made once
    every_example_of_the_page_has_the_keys_that_are_printed(printed)
    distill_says_where_the_artifact_is(printed)
    train_gives_fractions_with_their_interval(printed)
    run_and_table_are_the_same(printed)
    classes_add_up_to_the_whole(printed)
    a_comparison_agrees_with_the_table(printed)
    a_dry_run_counts_what_is_there(printed)
    failures_are_told_apart(printed)
    stores_are_joined_and_tidied(printed)
    the_gallery_shows_the_sets_of_the_run(printed)
    text_is_for_people_and_on_standard_output_too(printed, stillproof)


def every_example_of_the_page_has_the_keys_that_are_printed(printed: dict[str, Any]) -> None:
    page = documented()
    fetching = page.pop("data get")
    assert set(fetching) == {"name", "root", "ids"}
    assert len(page) == 39
    printed["table --by-class"]["tables"].clear()  # as those of `table`
    for verb, example in page.items():
        assert keys(example) == keys(printed[verb]), verb


def test_the_page_explains_every_key() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for example in documented().values():
        for path in keys(example):
            assert f"`{path.rpartition('.')[2]}`" in page, path


def distill_says_where_the_artifact_is(printed: dict[str, Any]) -> None:
    made, again = printed["distill"], printed["distill again"]
    assert (made["cached"], again["cached"]) == (False, True)
    assert {**made, "cached": True} == again
    names = {path.name for path in Path(made["path"]).iterdir()}
    assert {"tensors.safetensors", "card.json", "README.md", "preview.png"} <= names
    assert made["images"] == 10 and made["bytes"] == 10 * 64 * 4 + 10 * 8 and list(made["snapshots"]) == ["1"]


def train_gives_fractions_with_their_interval(printed: dict[str, Any]) -> None:
    score = printed["train"]
    assert score["accuracy"]["n"] == len(score["per_seed"]) == len(score["models"]) == len(set(score["models"])) == 2
    low, high = score["accuracy"]["ci95"]
    assert low < score["accuracy"]["mean"] < high and all(0 <= value <= 1 for value in score["per_seed"])
    assert (score["dataset"], score["network"], score["recipe"], score["selection"]) == (
        "digits",
        TINY[1],
        "smoke",
        "last",
    )


def run_and_table_are_the_same(printed: dict[str, Any]) -> None:
    assert printed["run"] == printed["table"]
    full, random = printed["run"]["rows"]
    assert (full["method"], full["ipc"], random["method"], random["ipc"]) == ("full", None, "random", 1)
    assert full["accuracy"] == printed["train digits"]["accuracy"], "train asked the same question before"


def classes_add_up_to_the_whole(printed: dict[str, Any]) -> None:
    full, _ = printed["table --by-class"]["rows"]
    assert full["by_class"] == printed["train digits"]["by_class"]
    images = [score["images"] for score in full["by_class"]]
    right = [count * score["accuracy"]["mean"] for count, score in zip(images, full["by_class"], strict=True)]
    assert sum(images) == printed["train digits"]["n_test"]
    assert abs(sum(right) / sum(images) - printed["train digits"]["accuracy"]["mean"]) < 1e-9


def a_comparison_agrees_with_the_table(printed: dict[str, Any]) -> None:
    (found,) = printed["compare"]["comparisons"]
    assert (found["first"], found["second"], found["about"]["ipc"]) == ("full", "random", "all / 1")
    assert [found["accuracy_first"], found["accuracy_second"]] == [row["accuracy"] for row in printed["run"]["rows"]]
    assert [pair["seeds"] for pair in found["pairs"]] == [[0, 0], [1, 1]] and found["shared_seeds"]


def a_dry_run_counts_what_is_there(printed: dict[str, Any]) -> None:
    assert printed["run --dry-run"]["cells"] == 10 and printed["run --dry-run"]["cached"] == 0
    assert printed["run --dry-run"]["by_stage"] == {"train": 4, "select": 4, "distill": 2}


def failures_are_told_apart(printed: dict[str, Any]) -> None:
    assert printed["failed code"] == 1
    (row,) = printed["run with failures"]["rows"]
    assert row["accuracy"] is None and row["missing"] == 1 and "it went off" in row["notes"][0]
    assert printed["status"]["cells"]["distill"] == {"done": 3, "failed": 2}
    assert len(printed["status"]["failed"]) == 4 and len(printed["status"]["runs"]) == 2
    calls = [call["verb"] for call in printed["status"]["calls"]]
    assert calls == ["distill", "train", "attack-set", "attack-bench", "attack", "train", "distill"]
    cause = printed["status"]["causes"][0]
    assert cause["frames"][0]["code"] == 'raise RuntimeError("it went off")'
    (left,) = printed["status"]["leftovers"]
    assert (left["stage"], left["state"]) == ("distill", "failed"), "that of the single call"


def stores_are_joined_and_tidied(printed: dict[str, Any]) -> None:
    assert len(printed["db merge"]["answers"]) == printed["db merge"]["runs"] == 1
    (stayed,) = printed["db rm"]["stayed"]
    assert stayed["cells"] == 4 and len(printed["db rm"]["cells"]) == 6, "a comparison that only reads keeps none"
    (left,) = printed["db prune"]["cells"]
    assert left["cell"] == printed["status"]["leftovers"][0]["cell"]


def the_gallery_shows_the_sets_of_the_run(printed: dict[str, Any]) -> None:
    assert printed["gallery"]["sets"] == ["random, digits, 1 per class"], "that of the first seed"
    assert printed["size"][1] == 10 * 50 + 2 + 22 + 2 * 16


def text_is_for_people_and_on_standard_output_too(printed: dict[str, Any], stillproof: Commands) -> None:
    folder = printed["folder"]
    artifact = printed["distill"]["artifact"]
    for argv in (
        ["list"],
        ["show", "dm"],
        ["data", "list"],
        ["status"],
        ["table", "accuracy"],
        ["table", "accuracy", "--format", "latex"],
        ["status", "--failed"],
        ["gallery", artifact[:8], printed["distill"]["name"]],
        ["doctor"],
        ["check", "mine.py"],
        [*SUITE, "--dry-run"],
        ["--help"],
    ):
        done = stillproof(*argv, cwd=folder)
        assert done.code == 0 and len(done.out) > 30 and "Traceback" not in done.err, argv
