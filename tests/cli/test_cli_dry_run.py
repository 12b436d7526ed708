from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from commands import TINY, Commands, query
from stillproof.cli.dry_run import speed_of
from stillproof.core.amounts import duration, size
from stillproof.core.errors import BadInput

SMOKE = ["--scale", "smoke", *TINY]


@pytest.mark.parametrize(
    ("text", "speed"),
    [
        ("20TFLOPS", 2e13),
        ("19.5 TFLOPS", 1.95e13),
        ("500gflops", 5e11),
        ("1e3GFLOP/s", 1e12),
        ("0.3Pflop", 3e14),
        ("7flops", 7.0),
    ],
)
def test_speeds_are_read_as_people_write_them(text: str, speed: float) -> None:
    assert speed_of(text) == pytest.approx(speed)


@pytest.mark.parametrize("text", ["", "fast", "20", "20T", "0TFLOPS", "-1TFLOPS", "20TFLOPS,8", "1e999TFLOPS"])
def test_what_is_no_speed_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="write one as 20TFLOPS or 500GFLOPS"):
        speed_of(text)


def test_large_numbers_stay_readable() -> None:
    found = [duration(seconds) for seconds in (5, 600, 86400, 86400 * 100, 86400 * 3653)]
    assert found == ["5 s", "10 min", "24.0 h", "100.0 days", "10.0 years"]
    assert [size(count) for count in (12, 4096, 5e6, 8.78e10, 3e12)] == [
        "12 bytes",
        "4.1 kB",
        "5 MB",
        "87.8 GB",
        "3 TB",
    ]


def test_a_page_that_answers(tmp_path: Path, stillproof: Commands) -> None:
    sections = "sections=augmentation,compression"
    run = ["run", "dc-bench", "--dry-run", "--seeds", "3", "--set", sections, *SMOKE]
    done = stillproof(*run, "--assume", "20TFLOPS", cwd=tmp_path)
    assert done.code == 0 and done.err == "nothing was computed (--dry-run)\n"
    first = [line.partition(":")[0] for line in done.out.splitlines()[:6]]
    assert first[0] == "all real images (full)" and first[2:] == ["time here", "time at 20 TFLOPS", "memory", "disk"]
    lines = [line.split() for line in done.out.splitlines() if line.strip()]
    words = [line[0] for line in lines]
    for name in ("augmentation", "augmentation-choice", "random", "dm", "full"):
        assert name in words
    assert ["--seeds", "2"] in [line[-2:] for line in lines]
    assert not list(tmp_path.iterdir()), "asking makes no store"


def test_a_size_may_be_a_fraction(tmp_path: Path, stillproof: Commands) -> None:
    asked = ["run", "beard", "--scale", "smoke", "--dry-run", "--set", "sections=curves", "--set"]
    assert stillproof(*asked, "linf_eps=8/255", cwd=tmp_path).code == 0
    refused = stillproof(*asked, "linf_eps=8/0", cwd=tmp_path)
    assert refused.code == 2 and "linf_eps = '8/0' is not allowed" in refused.sentence()


def test_assuming_a_machine_is_for_dry_runs(tmp_path: Path, stillproof: Commands) -> None:
    done = stillproof("run", "accuracy", "--assume", "20TFLOPS", *SMOKE, cwd=tmp_path)
    assert done.code == 2 and "it needs --dry-run" in done.sentence()
    assert not list(tmp_path.iterdir())


@pytest.fixture
def without_the_table(tmp_path: Path) -> Path:
    """A folder with a few images that stand for CIFAR-10, and without the table of NAS-Bench-201."""
    images, labels = np.random.default_rng(0).integers(0, 256, (20, 32, 32, 3), np.uint8), np.arange(20) % 10
    np.savez(tmp_path / "cifar10.npz", x_train=images, y_train=labels, x_test=images, y_test=labels)
    return tmp_path


SEARCH = ["run", "dc-bench", "--dataset", "cifar10", "--methods", "random", "--seeds", "1", *SMOKE]
LEFT_OUT = "7 rows of search-truth and search are left out: the accuracies of NAS-Bench-201 are missing"


def test_the_section_that_needs_an_absent_table_is_left_out(without_the_table: Path, stillproof: Commands) -> None:
    asked = [*SEARCH, "--set", "sections=search,k-center"]
    dry = stillproof(*asked, "--dry-run", "--json", cwd=without_the_table)
    told = dry.json()
    assert LEFT_OUT in dry.err
    assert [part["section"] for part in told["by_section"]] == ["k-center"]
    assert len(told["left_out"]) == 1 and told["left_out"][0].startswith(LEFT_OUT)
    done = stillproof(*asked, cwd=without_the_table)
    assert done.code == 0 and LEFT_OUT in done.err and "K-Center" in done.out
    stages = query(without_the_table / "stillproof.db", "SELECT DISTINCT stage FROM cells ORDER BY stage")
    assert ("truth",) not in stages and ("train",) in stages


def test_a_run_of_nothing_but_that_section_says_what_it_needs(without_the_table: Path, stillproof: Commands) -> None:
    done = stillproof(*SEARCH, "--set", "sections=search", cwd=without_the_table)
    assert done.code == 3 and f"nothing is left to ask: {LEFT_OUT}" in done.sentence()
    trained = [*SEARCH, "--set", "sections=search", "--set", "search_spaces=convnet", "--dry-run"]
    assert stillproof(*trained, cwd=without_the_table).code == 0, "the truth of other spaces is trained"


def test_suites_of_one_network_take_it_as_those_of_several_do(tmp_path: Path, stillproof: Commands) -> None:
    for suite in ("mad", "accuracy"):
        asked = ["run", suite, "--dataset", "digits", "--scale", "smoke", "--network", "convnet-1:width=4", "--dry-run"]
        assert stillproof(*asked, cwd=tmp_path).code == 0
