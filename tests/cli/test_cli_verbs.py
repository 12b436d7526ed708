from __future__ import annotations

import tomllib
from pathlib import Path

from PIL import Image, ImageSequence

from commands import TINY, Commands, query, run
from stillproof.store.store import open_store

SMOKE = ["--dataset", "digits", "--methods", "random", "--scale", "smoke", "--seeds", "1", *TINY]


def test_a_model_is_no_distilled_set(tmp_path: Path, stillproof: Commands) -> None:
    score = stillproof("train", "digits", "--recipe", "smoke", "--seeds", "1", *TINY, "--json", cwd=tmp_path).json()
    (model,) = score["models"]
    folder = f"stillproof-artifacts/{model[:2]}/{model}"
    for verb in (["train", folder], ["train", folder, "--store", "other.db"], ["gallery", folder]):
        done = stillproof(*verb, cwd=tmp_path)
        assert (done.code, len(done.err.splitlines())) == (2, 1), done.err
        assert f"{folder} is an artifact of kind 'model', not a distilled set" in done.sentence()
    assert query(tmp_path / "stillproof.db", "SELECT id FROM artifacts WHERE kind = 'distilled'") == []
    assert query(tmp_path / "other.db", "SELECT id FROM artifacts") == []
    assert not (tmp_path / "other-artifacts").exists()


def test_a_stored_run_is_shown_whatever_is_installed(tmp_path: Path, stillproof: Commands) -> None:
    assert stillproof("run", "accuracy", *SMOKE, cwd=tmp_path).code == 0
    absent = stillproof("gallery", "--run", "accuracy", "--ipc", "1,99", cwd=tmp_path)
    assert absent.code == 2
    assert "no set of run 1 has 99 images per class; it asked for: 1." in absent.sentence()
    assert stillproof("gallery", "--run", "accuracy", "--ipc", "1", "--out", "g.JPG", cwd=tmp_path).code == 0
    for verb in (["table", "acuracy"], ["gallery", "--run", "acuracy"]):
        done = stillproof(*verb, cwd=tmp_path)
        assert done.code == 2
        assert done.sentence().endswith("'acuracy'; did you mean 'accuracy'?") or "was never run" in done.sentence()
    with open_store(str(tmp_path / "stillproof.db")) as store:
        last = store.results.last_run("accuracy")
        assert last is not None
        config = {key: value for key, value in last.config.items() if key != "scale"}
        store.results.save_run("of-a-package-that-is-gone", config, last.rows)
    done = stillproof("table", "of-a-package-that-is-gone", cwd=tmp_path)
    assert done.code == 0 and done.out.splitlines()[0].strip() == (
        "of-a-package-that-is-gone: Accuracy of networks trained on the sets"
    )
    assert "suite 'of-a-package-that-is-gone' is not installed here (`--plugin FILE` brings it)" in done.err


def test_snapshots_become_an_animation(tmp_path: Path, stillproof: Commands) -> None:
    distill = ["distill", "digits", "dm", "--ipc", "1", "--scale", "smoke", "--set", "steps=5", *TINY, "--json"]
    still = stillproof(*distill, "--seed", "1", cwd=tmp_path).json()
    moving = stillproof(*distill, "--snapshots", "every=2", cwd=tmp_path).json()
    assert list(moving["snapshots"]) == ["0", "2", "4"]
    done = stillproof("gallery", still["name"], "--animate", cwd=tmp_path)
    assert done.code == 2 and "distil with `--snapshots every=N`" in done.sentence()
    shown = stillproof("gallery", moving["name"], "--animate", "--json", cwd=tmp_path).json()
    assert shown["frames"] == ["step 0", "step 2", "step 4", "result"]
    with Image.open(tmp_path / shown["path"]) as picture:
        assert picture.format == "GIF" and sum(1 for _ in ImageSequence.Iterator(picture)) == 4


def test_a_set_that_diverged_on_the_way_says_so(tmp_path: Path, stillproof: Commands) -> None:
    distill = ["distill", "digits", "dm", "--ipc", "1", "--scale", "smoke", "--set", "lr=1e30", *TINY]
    assert stillproof(*distill, cwd=tmp_path).code == 1
    done = stillproof(*distill, "--set", "on_divergence=shrink", cwd=tmp_path)
    assert done.code == 0 and "note: it diverged in 1 of its steps" in done.err


def test_show_explains_inherited_parameters_and_lists_choices(tmp_path: Path, stillproof: Commands) -> None:
    shown = stillproof("show", "idm", cwd=tmp_path).out
    assert "ce_weight: Weight of" in shown and "fail, shrink" in shown


def test_show_tells_components_of_one_name_apart(tmp_path: Path, stillproof: Commands) -> None:
    shown = stillproof("show", "dsa", cwd=tmp_path)
    assert shown.out.startswith("dsa (distiller,") and "`--kind augmentations`" in shown.err
    suite = stillproof("show", "dc-bench", cwd=tmp_path)
    assert suite.out.startswith("dc-bench (suite,") and "`--kind recipes`" in suite.err
    assert " none,imagenet-aug,rand-augment," in suite.out, "values are written as the command line takes them"
    assert "Which initialisation is best?" in suite.out, "its sections are told with their questions"
    other = stillproof("show", "dsa", "--kind", "augmentations", cwd=tmp_path)
    assert other.out.startswith("dsa (augmentation,") and not other.err


def test_show_lists_the_sections_of_a_suite(tmp_path: Path, stillproof: Commands) -> None:
    (section,) = stillproof("show", "accuracy", "--json", cwd=tmp_path).json()["sections"]
    assert (
        section["name"] == "accuracy" and section["question"].endswith("?") and section["title"] and section["reading"]
    )
    assert "sections" not in stillproof("show", "dm", "--json", cwd=tmp_path).json()


def test_families_of_many_short_names_are_folded(tmp_path: Path, stillproof: Commands) -> None:
    folded, whole = (stillproof("list", "networks", *more, cwd=tmp_path).out for more in ([], ["--all"]))
    names = [[line.split()[0] for line in text.splitlines()[4:] if line.strip()] for text in (folded, whole)]
    assert "resnet" in names[0] and "vgg-11-bn" in names[0] and "resnet-18" not in names[0]
    assert "Also 20 short names, as resnet-18 and resnet-152-bn-imagenet: see --all." in folded
    assert len(names[1]) == len(names[0]) + 20 + 12 and "see --all" not in whole
    listed = stillproof("list", "networks", "--json", cwd=tmp_path).json()["networks"]
    assert [entry["name"] for entry in listed] == names[1]
    assert "convnet with depth=3, norm=batch." in whole
    datasets = stillproof("list", "datasets", cwd=tmp_path).out
    assert "imagenette" in datasets, "a name of its own is no short name"
    assert "imagenet with subset=imagenette." in datasets, "what else it is called is told"


def test_a_sweep_keeps_its_order(tmp_path: Path, stillproof: Commands) -> None:
    sweep = [f"dm:lr={lr}" for lr in (1, 0.1, 10, 0.01)]
    run = [*SMOKE[:2], "--methods", ",".join(["random", *sweep]), *SMOKE[4:], "--set", "full_recipe="]
    rows = stillproof("run", "accuracy", *run, "--json", cwd=tmp_path).json()["rows"]
    assert [row["method"] for row in rows] == ["random", *sweep]
    sets = stillproof("gallery", "--run", "accuracy", "--json", cwd=tmp_path).json()["sets"]
    assert [title.rpartition("=")[2] for title in sets] == ["random, digits, 1 per class", "1.0", "0.1", "10.0", "0.01"]


def test_a_run_without_any_set_has_no_gallery(tmp_path: Path, stillproof: Commands) -> None:
    assert stillproof("run", "accuracy", *SMOKE, "--methods", "", cwd=tmp_path).code == 0
    done = stillproof("gallery", "--run", "accuracy", cwd=tmp_path)
    assert done.code == 2 and "run 1 has no distilled set yet" in done.sentence()


def test_a_dry_run_makes_no_store_and_asks_the_one_that_is_there(tmp_path: Path, stillproof: Commands) -> None:
    dry = ["run", "accuracy", *SMOKE, "--dry-run", "--json"]
    for place in ([], ["--store", "sub/other.db"]):
        assert stillproof(*dry, *place, cwd=tmp_path).json()["cached"] == 0
    assert list(tmp_path.iterdir()) == []
    assert stillproof("run", "accuracy", *SMOKE, cwd=tmp_path).code == 0
    estimate = stillproof(*dry, cwd=tmp_path).json()
    assert estimate["cached"] == estimate["cells"] > 0


def test_a_configuration_is_the_same_in_toml_and_in_json(tmp_path: Path, stillproof: Commands) -> None:
    command = ["show", "accuracy", "--config", "--scale", "smoke"]
    written = tomllib.loads(stillproof(*command, cwd=tmp_path).out)
    assert stillproof(*command, "--json", cwd=tmp_path).json() | {"suite": "accuracy"} == written


PACKAGE = """
from dataclasses import dataclass
from stillproof import datasets
@datasets.register("installed", version=1)
@dataclass(frozen=True)
class Installed:
    def load(self, root, split):
        class Found:
            id = f"installed/{split}"
        return Found
"""


def test_data_sets_of_installed_packages_can_be_got(tmp_path: Path) -> None:
    site = tmp_path / "site"
    info = site / "installed-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "installed_data.py").write_text(PACKAGE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: installed\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[stillproof.datasets]\ninstalled = installed_data\n")
    got = run("data", "get", "installed", "--json", cwd=tmp_path, env={"PYTHONPATH": str(site)}).json()
    assert got["ids"] == {"train": "installed/train", "test": "installed/test"}
    listed = run("data", "list", "--json", cwd=tmp_path, env={"PYTHONPATH": str(site)}).json()["datasets"]
    assert {"name": "installed", "summary": "", "here": True, "state": "installed/test"} in listed
