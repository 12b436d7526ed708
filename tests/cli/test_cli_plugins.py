"""Plug-ins on the command line: their helpers count and travel, what they print is apart, and they cannot break it."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands import TINY, Commands, Done, query

METHOD = '''
from dataclasses import dataclass
from stillproof.distill.random import RandomImages
from stillproof.plugin import distillers
{top}

@distillers.register("mine", version=1)
@dataclass(frozen=True)
class Mine(RandomImages):
    """Random images, and what a test wants."""
    def distill(self, data, ipc, ctx):
        {inside}
        return super().distill(data, ipc, ctx)
'''
RUN = ["run", "accuracy", "--dataset", "digits", "--methods", "mine", "--ipc", "1", "--seeds", "2", "--scale", "smoke"]
RUN += [*TINY, "--plugin", "mine.py"]
DISTILLED = "SELECT id FROM cells WHERE stage = 'distill' AND status = 'done'"


def write(folder: Path, top: str = "", inside: str = "pass", **helpers: str) -> None:
    (folder / "mine.py").write_text(METHOD.format(top=top, inside=inside))
    for name, text in helpers.items():
        (folder / f"{name}.py").write_text(text)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_changed_helper_is_computed_anew_and_an_equal_one_is_not(
    stillproof: Commands, tmp_path: Path, workers: str
) -> None:
    inside = "import late; assert late.X and __file__.endswith('mine.py')"
    write(tmp_path, "import helper", inside, helper="import below", below="Y = 1", late="X = 1")
    counts = []
    for name, text in (("below", "Y = 1"), ("below", "Y = 2"), ("below", "Y = 2  # a comment"), ("late", "X = 2")):
        (tmp_path / f"{name}.py").write_text(text)
        done = stillproof(*RUN, "--workers", workers, "--json", cwd=tmp_path)
        assert done.json()
        counts.append(len(query(tmp_path / "stillproof.db", DISTILLED)))
    assert counts == [2, 4, 4, 6]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_what_a_plug_in_prints_is_apart_from_results(stillproof: Commands, tmp_path: Path, workers: str) -> None:
    write(tmp_path, "print('loaded')", "print('working')")
    done = stillproof(*RUN, "--workers", workers, "--json", cwd=tmp_path)
    assert done.json() and "loaded" in done.err and "working" in done.err
    for argv in (["list", "distillers", "--json"], ["show", "mine", "--json"], ["table", "accuracy", "--json"]):
        assert stillproof(*argv, "--plugin", "mine.py", cwd=tmp_path).json()
    assert stillproof("check", "mine.py", "--json", cwd=tmp_path).json()


def test_a_plug_in_that_ends_the_program_is_a_failure(stillproof: Commands, tmp_path: Path) -> None:
    write(tmp_path, "import sys\nsys.exit(0)")
    done = stillproof(*RUN, cwd=tmp_path)
    assert (done.code, done.out) == (2, "") and "Traceback" not in done.err
    said = "plug-in mine.py cannot be loaded: it ends the program by sys.exit(0) at mine.py, line 6."
    assert done.err.splitlines() == [
        f"{said} Its components are left out.",
        "stillproof: unknown distiller or set 'mine'; `stillproof list distillers` lists distillers, and this store "
        "has no set of that name. One of your own needs its file: --plugin FILE.",
    ]
    checked = stillproof("check", "mine.py", cwd=tmp_path)
    assert checked.code == 2 and checked.sentence() == f"stillproof: {said}"


@pytest.mark.parametrize("workers", ["1", "2"])
def test_one_that_ends_the_program_as_it_works_is_a_failed_cell(
    stillproof: Commands, tmp_path: Path, workers: str
) -> None:
    write(tmp_path, "import sys", "sys.exit(0)")
    done = stillproof(*RUN, "--workers", workers, cwd=tmp_path)
    assert done.code == 1 and "SystemExit(0) at mine.py, line 12, in distill" in done.err


def test_one_that_ends_the_program_as_it_is_planned_is_a_failure(stillproof: Commands, tmp_path: Path) -> None:
    write(tmp_path, "import sys")
    with (tmp_path / "mine.py").open("a") as file:
        file.write("    def image_passes(self, *args):\n        sys.exit(0)\n")
    done = stillproof(*RUN, "--dry-run", cwd=tmp_path)
    said = "stillproof: sys.exit(0) was called at mine.py, line 15, which is no way to end a command: raise an error"
    assert done.code == 1 and done.sentence() == f"{said} instead."


def test_one_that_replaces_a_part_of_the_package_is_refused(stillproof: Commands, tmp_path: Path) -> None:
    write(tmp_path, "from stillproof.plugin import ImageSet\nImageSet.read = lambda *args: None")
    done = stillproof(*RUN, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "plug-in mine.py cannot be loaded: it replaces stillproof.core.types.ImageSet.read, which" in done.err
    others = [part if part != "mine" else "random" for part in RUN]
    assert stillproof(*others, cwd=tmp_path).code == 0, "others read their images as ever"


def test_a_forgotten_plug_in_is_hinted_at(stillproof: Commands, tmp_path: Path) -> None:
    write(tmp_path)
    assert stillproof(*RUN, cwd=tmp_path).code == 0
    done = stillproof(*RUN[:-2], cwd=tmp_path)
    assert done.code == 2 and done.sentence().endswith(" One of your own needs its file: --plugin FILE.")


def test_a_helper_that_is_broken_is_named(stillproof: Commands, tmp_path: Path) -> None:
    write(tmp_path, "import helper", helper="def broken(:")
    done = stillproof(*RUN, cwd=tmp_path)
    assert (
        done.code == 2 and "helper.py, which plug-in mine.py imports, is not Python: invalid syntax" in done.sentence()
    )


NETWORK = '''
from dataclasses import dataclass
import torch
from torch import nn
from stillproof.plugin import Body, networks

class Asked(Body):
    def __init__(self, inside):
        super().__init__()
        self.inside = inside
    def features(self, images):
        {asked}
        return self.inside.features(images)
    def forward(self, images):
        {asked}
        return self.inside(images)

@networks.register("asked", version=1)
@dataclass(frozen=True)
class AskedNet:
    """A network that is careless with what it is given."""
    width: int = 4
    def build(self, channels, size, num_classes):
        return Asked(networks.build("convnet-1:width=4").build(channels, size, num_classes))
'''


def attacked(stillproof: Commands, folder: Path, asked: str) -> Done:
    """Train a network of one's own, and attack it."""
    (folder / "net.py").write_text(NETWORK.format(asked=asked))
    plugin = ["--plugin", "net.py"]
    made = ["train", "digits", "--network", "asked", "--recipe", "quick-real:epochs=1", "--seeds", "1", "--json"]
    model = stillproof(*made, *plugin, cwd=folder).json()["models"][0]
    how = ["--dataset", "digits", "--attack", "pgd:eps=0.1", "--limit", "40", "--json"]
    return stillproof("attack", model, *how, *plugin, cwd=folder)


def test_a_network_of_ones_own_without_gradients_says_why_it_is_not_attacked(
    stillproof: Commands, tmp_path: Path
) -> None:
    done = attacked(stillproof, tmp_path, "images = images if self.training else images.detach()")
    assert done.code == 1 and "the model gives no gradient at its images" in done.sentence()


def test_a_network_of_ones_own_may_change_what_it_is_given(stillproof: Commands, tmp_path: Path) -> None:
    ways = ("images = images if self.training else images * 0.5", "if not self.training: images.mul_(0.5)")
    found = [attacked(stillproof, tmp_path, way).json()["attacks"][0] for way in ways]
    assert found[0]["robust_accuracy"] == found[1]["robust_accuracy"], "it is given a copy, which is normalised"
    assert found[0]["clean_accuracy"] == found[1]["clean_accuracy"] > found[0]["robust_accuracy"]


def test_a_network_of_ones_own_that_cannot_learn_says_why(stillproof: Commands, tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NETWORK.format(asked="return self.inside(images).detach()"))
    made = ["train", "digits", "--network", "asked", "--recipe", "quick-real:epochs=1", "--seeds", "1"]
    done = stillproof(*made, "--plugin", "net.py", cwd=tmp_path)
    assert done.code == 1 and "the loss has no gradient, so nothing can be learned" in done.sentence()
