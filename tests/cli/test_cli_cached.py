from __future__ import annotations

import tomllib
from pathlib import Path

from commands import TINY, Commands, finished, query

FLAGS = [
    "--dataset",
    "digits",
    "--methods",
    "random,dm",
    "--seeds",
    "2",
    "--selection",
    "oracle",
    "--protocol",
    "faithful",
]
COMMON = ["--scale", "smoke", *TINY]


def test_what_a_suite_has_computed_is_never_computed_again(tmp_path: Path, stillproof: Commands) -> None:
    store = tmp_path / "stillproof.db"
    assert stillproof("run", "accuracy", *FLAGS, *COMMON, cwd=tmp_path).code == 0
    before = finished(store)
    assert query(store, "SELECT stage, COUNT(*) FROM cells GROUP BY stage") == [
        ("distill", 2),
        ("select", 6),
        ("train", 6),
    ]
    assert stillproof("run", "accuracy", *FLAGS, *COMMON, "--workers", "2", cwd=tmp_path).code == 0
    made = stillproof("distill", "digits", "dm", "--ipc", "1", "--json", *COMMON, cwd=tmp_path).json()
    train = ["train", made["name"], "--recipe", "smoke", "--seeds", "2", "--selection", "oracle", *TINY, "--json"]
    score = stillproof(*train, cwd=tmp_path).json()
    assert made["cached"] and before.items() <= finished(store).items()
    assert query(store, "SELECT stage FROM cells WHERE finished > " + str(max(before.values()))) == [("by-class",)] * 2
    rows = stillproof("table", "accuracy", "--json", cwd=tmp_path).json()["rows"]
    assert score["accuracy"] in [row["accuracy"] for row in rows if row["method"] == "dm"]
    last = stillproof(*[word.replace("oracle", "last") for word in train], cwd=tmp_path).json()
    later = f"stage != 'by-class' AND finished > {max(before.values())}"
    new = query(store, f"SELECT stage FROM cells WHERE {later}")
    assert sorted(new) == [("select",)] * 2 + [("train",)] * 2, "the last epoch needs a training that is measured once"
    assert last["accuracy"]["mean"] <= score["accuracy"]["mean"]


def test_a_configuration_file_asks_the_same_questions_as_flags(tmp_path: Path, stillproof: Commands) -> None:
    shown = stillproof("show", "accuracy", "--config", "--scale", "smoke", cwd=tmp_path)
    values = tomllib.loads(shown.out)
    assert values["suite"] == "accuracy" and values["seeds"] == 2 and values["ipc"] == [1]
    text = shown.out.replace('["home"]', f'["{TINY[1]}"]').replace(
        '["random", "k-center", "herding", "dm"]', '["random"]'
    )
    (tmp_path / "mine.toml").write_text(text)
    assert stillproof("run", "accuracy", "--config", "mine.toml", cwd=tmp_path).code == 0
    flags = ["run", "accuracy", "--dataset", "digits", "--methods", "random", *COMMON, "--dry-run", "--json"]
    estimate = stillproof(*flags, cwd=tmp_path).json()
    assert (estimate["cells"], estimate["cached"], estimate["by_stage"]) == (10, 10, {})
    more = stillproof("run", "accuracy", "--config", "mine.toml", "--seeds", "3", "--dry-run", "--json", cwd=tmp_path)
    assert more.json()["cells"] == 15, "a flag overrides the file"
    (tmp_path / "short.toml").write_text(f'methods = "random"\nipc = 1\nscale = "smoke"\nnetwork = "{TINY[1]}"')
    short = stillproof("run", "accuracy", "--config", "short.toml", "--dry-run", "--json", cwd=tmp_path)
    assert short.json()["cached"] == 10, "a file says things as the command line does"
    lists = [*flags[:-2], "--set", "ipc=1,2", "--dry-run", "--json"]
    assert stillproof(*lists, cwd=tmp_path).json()["cells"] == 16, "lists are comma-separated in --set too"


def test_a_run_that_is_half_done_shows_what_is_missing(tmp_path: Path, stillproof: Commands) -> None:
    command = ["run", "accuracy", "--dataset", "digits", "--methods", "random", "--seeds", "2", *COMMON]
    assert stillproof(*command, cwd=tmp_path).code == 0
    script = """
import sqlite3
with sqlite3.connect("stillproof.db") as connection:
    cell = connection.execute("SELECT id FROM cells WHERE stage = 'select' ORDER BY created, rowid").fetchall()[-1]
    connection.execute("UPDATE cells SET status = 'pending', result = NULL WHERE id = ?", cell)
"""
    assert stillproof.python(script, cwd=tmp_path).code == 0
    rows = stillproof("table", "accuracy", "--json", cwd=tmp_path).json()["rows"]
    assert sorted((row["missing"], row["accuracy"]["n"]) for row in rows) == [(0, 2), (1, 1)]
    text = stillproof("table", "accuracy", cwd=tmp_path).out
    header, full, random = (line.split() for line in text.splitlines() if line.startswith(("method", "full", "random")))
    assert (header[-1], full[-1], random[-1]) == ("n", "2", "1") and "Missing: 1 not computed yet." in text
    place = header.index("missing") - len(header)
    assert (full[place], random[place]) == ("0", "1")


def test_where_there_is_no_terminal_the_end_is_said_once(tmp_path: Path, stillproof: Commands) -> None:
    done = stillproof("run", "accuracy", "--dataset", "digits", "--methods", "random", *COMMON, cwd=tmp_path)
    assert [line for line in done.err.splitlines() if line.startswith("100 %")] == ["100 %: 10/10 cells"]
