from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from commands import TINY, Commands
from fits import assert_fit
from stillproof.report.run_report import report_of
from stillproof.report.runs import newest_run
from stillproof.report.tables.formats import to_json
from stillproof.session import Session
from stillproof.store.records import NewCell
from stillproof.store.store import Store, open_store

ACCURACY = ["run", "accuracy", "--dataset", "digits", "--methods", "random", "--scale", "smoke", "--seeds", "2", *TINY]
BROKEN = "RuntimeError('it went off')\nTraceback ..."


def cell(number: int) -> str:
    return f"{number:064x}"


def keep(store: Store, number: int, result: dict[str, Any] | None, **spec: Any) -> str:
    """Store a cell with its answer, or one that failed."""
    name = cell(number)
    store.results.put([NewCell(name, "train" if "seed" in spec else "select", spec, {"flops": 1e6 * number})])
    assert store.claims.claim([name], "me", 60.0) == name
    if result is None:
        store.claims.fail(name, "me", BROKEN, 1.0, {})
    else:
        store.claims.finish(name, "me", result, 1.0, {})
    return name


def keep_run(store: Store) -> None:
    about = {"dataset": "digits", "network": "convnet-3", "recipe": "quick", "protocol": "fair", "selection": "last"}
    rows = []
    for number, (method, ipc, section, accuracy) in enumerate(
        [
            ("random", 1, "compression", 0.5),
            ("dm", 1, "compression", 0.75),
            ("random", 10, "compression", 0.625),
            ("dm", 10, "compression", None),
            ("dm", 1, "optimiser", 0.5),
        ]
    ):
        train = keep(store, 10 + number, None if accuracy is None else {}, seed=number)
        found = keep(store, 20 + number, None if accuracy is None else {"accuracy": accuracy}, train=train)
        more = {"optimiser": "sgd"} if section == "optimiser" else {}
        cells = [found, cell(30 + number)]  # the second seed is not computed yet
        rows.append({"section": section, "method": method, "ipc": ipc, **about, **more, "cells": cells})
    store.results.save_run("dc-bench", {"scale": "quick"}, rows)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with open_store(str(tmp_path / "stillproof.db")) as store:
        keep_run(store)
    return tmp_path


def test_all_tables_follow_each_other(folder: Path, stillproof: Commands) -> None:
    text = stillproof("table", "dc-bench", cwd=folder).out
    first, second = text.index("dc-bench, scale quick: Accuracy over images"), text.index("Training with SGD")
    assert first < text.index("+25.0") < text.index("Missing: RuntimeError('it went off')") < second
    assert text.index("Missing: 4 not computed yet.") < second < text.index("Missing: 1 not computed yet.")
    assert "digits; convnet-3; recipe quick; protocol fair; last epoch." in text
    found = stillproof("table", "dc-bench", "--json", cwd=folder).json()
    assert set(found) == {"suite", "run", "config", "sections", "rows", "tables"} and len(found["rows"]) == 5
    assert [section["name"] for section in found["sections"]] == ["compression", "optimiser"]
    assert [table["name"] for table in found["tables"]] == ["compression", "optimiser"]
    assert found["tables"][0]["rows"][1]["gain"]["mean"] == 0.25


def test_csv_has_numbers_alone_and_a_blank_line_between_tables(folder: Path, stillproof: Commands) -> None:
    done = stillproof("table", "dc-bench", "--format", "csv", cwd=folder)
    compression, optimiser = done.out.split("\n\n")
    assert "#" not in done.out and "2 tables, an empty line between them: compression, optimiser." in done.err
    rows = list(csv.DictReader(io.StringIO(compression)))
    assert [row["accuracy_mean"] for row in rows] == ["0.5", "0.75", "0.625", ""]
    alone = stillproof("table", "dc-bench", "--format", "csv", "--section", "optimiser", cwd=folder)
    assert (alone.out, alone.err) == (optimiser, "")


def test_csv_has_titles_and_notes_as_comments_if_they_are_asked_for(folder: Path, stillproof: Commands) -> None:
    done = stillproof("table", "dc-bench", "--format", "csv", "--notes", cwd=folder)
    compression, optimiser = done.out.split("\n\n")
    assert compression.startswith("# compression: Accuracy over images per class\n") and not done.err
    assert optimiser.startswith("# optimiser: Training")
    refused = stillproof("table", "dc-bench", "--format", "md", "--notes", cwd=folder)
    assert refused.code == 2 and "--notes adds titles and notes to --format csv" in refused.sentence()


def test_md_and_latex_have_their_titles(folder: Path, stillproof: Commands) -> None:
    for form in ("md", "latex"):
        assert stillproof("table", "dc-bench", "--format", form, cwd=folder).out.count("Training with SGD") == 1


def test_a_section_alone(folder: Path, stillproof: Commands) -> None:
    only = stillproof("table", "dc-bench", "--section", "optimiser", "--json", cwd=folder).json()
    assert [table["name"] for table in only["tables"]] == ["optimiser"]
    for verb in ("table", "plot"):
        wrong = stillproof(verb, "dc-bench", "--section", "optimizer", cwd=folder)
        assert wrong.code == 2 and "unknown section 'optimizer'; did you mean 'optimiser'?" in wrong.sentence()
        absent = stillproof(verb, "dc-bench", "--section", "cost", cwd=folder)
        assert absent.code == 2 and "choose one of compression, optimiser." in absent.sentence()


def test_figures_are_written_for_what_there_is(folder: Path, stillproof: Commands) -> None:
    drawn = stillproof("plot", "dc-bench", cwd=folder)
    path, *seen = drawn.out.splitlines()
    assert path == "figures/dc-bench-compression.png" and all(line.startswith("  ") for line in seen)
    caption = " ".join(line.strip() for line in seen)
    assert caption.startswith("Accuracy over images per class. Test accuracy (%) over images per class. ")
    with Image.open(folder / "figures" / "dc-bench-compression.png") as picture:
        assert picture.format == "PNG"
    nothing = stillproof("plot", "dc-bench", "--section", "optimiser", "--json", cwd=folder)
    assert (
        json.loads(nothing.out) == {"suite": "dc-bench", "figures": [], "captions": {}}
        and "nothing to draw" in nothing.err
    )
    assert nothing.code == 0 and len(nothing.err.splitlines()) == 1


def test_figures_and_tables_for_a_paper(folder: Path, stillproof: Commands) -> None:
    assert stillproof("plot", "dc-bench", "--style", "paper", "--out", "paper", cwd=folder).code == 0
    with Image.open(folder / "paper" / "dc-bench-compression.png") as picture:
        assert abs(picture.width - 3.25 * 300) <= 1
    wrong = stillproof("plot", "dc-bench", "--style", "papr", cwd=folder)
    assert wrong.code == 2 and "unknown style 'papr'; did you mean 'paper'?" in wrong.sentence()
    source = stillproof("table", "dc-bench", "--format", "latex", "--plus-minus", cwd=folder).out
    assert r"\label{tab:dc-bench-compression}" in source and r"\caption{Accuracy over images per class. " in source
    mixed = stillproof("table", "dc-bench", "--plus-minus", cwd=folder)
    assert mixed.code == 2 and "--plus-minus is for --format latex" in mixed.sentence()


def test_the_accuracy_suite_has_one_table_and_one_figure(tmp_path: Path, stillproof: Commands) -> None:
    printed = stillproof(*ACCURACY, cwd=tmp_path)
    assert printed.code == 0 and stillproof("table", "accuracy", cwd=tmp_path).out == printed.out
    assert stillproof("table", "accuracy", "--section", "accuracy", cwd=tmp_path).out == printed.out
    wrong = stillproof("table", "accuracy", "--section", "acuracy", cwd=tmp_path)
    assert "unknown section 'acuracy'; did you mean 'accuracy'?" in wrong.sentence()
    drawn = stillproof("plot", "accuracy", "--out", "here", "--format", "pdf", "--json", cwd=tmp_path).json()
    assert drawn["suite"] == "accuracy" and drawn["figures"] == list(drawn["captions"]) == ["here/accuracy.pdf"]
    assert drawn["captions"]["here/accuracy.pdf"].startswith("Accuracy of networks trained on the sets. Bars: ")
    assert (tmp_path / "here" / "accuracy.pdf").read_bytes().startswith(b"%PDF")
    session = Session(str(tmp_path / "stillproof.db"))
    (table,) = session.tables("accuracy")
    assert_fit([table])
    assert session.table("accuracy") == table
    session.close()
    found = stillproof("table", "accuracy", "--json", cwd=tmp_path).json()
    assert [row["accuracy"] for row in found["rows"]] == [row["accuracy"] for row in to_json(table)["rows"]]
    assert found["tables"] == [to_json(table)] and found["rows"][0]["accuracy"]["n"] == 2
    assert table.name == "accuracy" and table.columns[0].key == "dataset"


def test_a_run_without_an_answer_is_a_table_without_a_figure(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "s.db")) as store:
        keep(store, 1, None, train=keep(store, 2, None, seed=0))
        rows = [{"method": "dm", "ipc": 1, "dataset": "digits", "cells": [cell(1), cell(9)]}]
        store.results.save_run("accuracy", {}, rows)
        report = report_of(store, newest_run(store, "accuracy"))
        (table,) = report.tables()
        assert table.rows[0]["accuracy"] is None and table.rows[0]["missing"] == 2
        assert table.notes == ["Missing: 1 not computed yet.", "Missing: RuntimeError('it went off')"]
        assert report.figures() == {}
