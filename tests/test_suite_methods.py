"""Existing sets, as rows of a suite: by name, id, folder, file, and as a session gives them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from stillproof.cli.dry_run import print_forecast
from stillproof.core.errors import BadInput
from stillproof.data.load import load
from stillproof.image_finder import export_set
from stillproof.importers.import_options import ImportOptions
from stillproof.importers.import_sets import ImportedSet
from stillproof.report.figures.captions import caption
from stillproof.report.figures.values import Bars
from stillproof.report.run_report import report_of
from stillproof.report.runs import newest_run
from stillproof.report.sets import sets_of_run
from stillproof.report.tables.text import shown
from stillproof.session import Session

SMALL = "convnet-1:width=4"
OPTIONS: dict[str, Any] = {"dataset": ["digits"], "network": [SMALL], "scale": "smoke", "full_recipe": ""}
DATA = load("digits", "train", Path())
CHOSEN = torch.cat([DATA.of_class(label)[:2] for label in range(10)])
IMAGES, LABELS = DATA.read(CHOSEN), DATA.labels[CHOSEN]


class Home:
    """A session, a set of two images per class in its store, and other forms of the same set."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.session = Session(str(folder / "s.db"))
        self.file = folder / "mine.pt"
        torch.save({"images": IMAGES, "labels": LABELS}, self.file)
        (made,), _ = self.session.import_sets(self.file, "digits", ImportOptions(method="my-set"))
        self.made: ImportedSet = made
        export_set(self.session.store, made.artifact, folder / "copy")

    def rows(self, *methods: Any, suite: str = "accuracy", **options: Any) -> tuple[list[dict[str, Any]], Any]:
        _, rows, config = self.session.plan_suite(suite, {**OPTIONS, "methods": methods, **options})
        return rows, config["methods"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    made = Home(tmp_path_factory.mktemp("home"))
    yield made
    made.session.close()


def test_a_set_stands_beside_distillers_and_stays_readable(home: Home) -> None:
    session, made = home.session, home.made
    status = session.run_suite("accuracy", {**OPTIONS, "methods": ["my-set", "random"], "ipc": [1, 2]})
    assert set(status.values()) == {"done"}
    table = session.table("accuracy")
    assert [(row["method"], row["ipc"]) for row in table.rows] == [("random", 1), ("my-set", 2), ("random", 2)]
    assert f"One set for all seeds: my-set (artifact {made.artifact[:12]})." in table.notes
    assert shown(table).header == ["method", "ipc", "accuracy %"]
    report = report_of(session.store, newest_run(session.store, "accuracy"))
    row = next(row for row in report.as_dict()["rows"] if row["method"] == "my-set")
    assert row["set"] == made.artifact and row["accuracy"]["n"] == 2
    alone = session.train(_request(home), network=SMALL, recipe="smoke", seeds=2)
    assert row["accuracy"]["mean"] == alone.accuracy.mean, "it is the same question as train asks"
    (comparison,) = session.compare(["my-set", "random"]).found
    assert comparison.match.first.name == "my-set", "it is compared as methods are"
    one = "One set for all seeds: my-set; seeds vary the training, not the set."
    assert one in session.compare(["my-set", "random"]).table().notes
    (figure,) = report.figures().values()
    assert isinstance(figure, Bars) and "one set for all seeds: my-set" in caption(figure)
    assert made.artifact in {one.id for one in sets_of_run(session.store, report.run, None)}
    assert made.artifact in {one.id for one in sets_of_run(session.store, report.run, [2])}
    assert made.artifact not in {one.id for one in sets_of_run(session.store, report.run, [1])}


def test_a_size_that_no_distiller_has_is_said_before_it_is_run(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    home.rows("my-set", "random", ipc=[2, 3])
    home.rows("my-set", ipc=[1])
    assert caplog.text == ""
    home.rows("my-set", "random", ipc=[1, 10])
    words = "my-set has 2 images per class, and others are asked for 1 and 10: --ipc 2 (ipc= in Python) sets them side"
    assert words in caplog.text


def test_what_would_save_is_told_in_the_user_s_words(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    options = {**OPTIONS, "methods": ["my-set", "random"], "ipc": [2], "seeds": 5, "recipe": "quick"}
    found = home.session.forecast("accuracy", options)
    cut = next(cut for cut in found.cuts if cut.after == ["random"])
    assert cut.before == ["my-set", "random"]
    print_forecast(found, "accuracy", (), as_json=False)
    assert "  --methods random\n" in capsys.readouterr().out


def test_a_folder_of_the_store_is_called_as_its_set_is(home: Home) -> None:
    rows, methods = home.rows(str(home.made.path), str(home.folder / "copy"))
    assert [row["method"] for row in rows] == [home.made.name, "copy"], "and not by the id that is its name there"
    assert methods == [f"{name}:artifact={home.made.artifact[:12]}" for name in (home.made.name, "copy")]


def _request(home: Home) -> Any:
    from stillproof.image_finder import find_set

    return find_set(home.session, home.made.name)[0]


def test_the_saved_configuration_asks_the_same_again(home: Home) -> None:
    rows, methods = home.rows("my-set", "random")
    assert methods == [f"my-set:artifact={home.made.artifact[:12]}", "random"]
    assert home.rows(*methods) == (rows, methods)


def test_a_set_is_found_however_it_is_named(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home.folder)
    made = home.made
    ways: list[tuple[Any, str]] = [
        (made, made.name),
        (made.artifact, made.name),
        (made.artifact[:8], made.name),
        (made.name, made.name),
        ("my-set", "my-set"),
        ("copy", "copy"),
        (home.folder / "copy", "copy"),
        ("mine.pt", "mine.pt"),
        ("./mine.pt", "mine.pt"),
        (f"better:artifact={made.name}", "better"),
    ]
    for way, label in ways:
        (row,), (method,) = home.rows(way)
        assert (row["method"], row["set"], row["ipc"]) == (label, made.artifact, 2)
        assert method == f"{label}:artifact={made.artifact[:12]}"


def test_one_set_has_one_row_however_often_it_is_asked_for(home: Home) -> None:
    rows, _ = home.rows("my-set", "my-set", "random", ipc=[1, 2, 5])
    assert [row["method"] for row in rows].count("my-set") == 1


def test_two_sets_of_the_same_name_are_told_apart(home: Home, tmp_path: Path) -> None:
    torch.save((IMAGES.flip(3), LABELS), tmp_path / "mine.pt")
    torch.save((IMAGES.flip(2), LABELS), tmp_path / "dm")  # a distiller's name, and not a file of any format
    first, second = home.rows(home.file, tmp_path / "mine.pt")[0]
    assert first["method"] == "mine.pt" and second["method"] == f"mine.pt-{second['set'][:6]}"
    (tmp_path / "dm").rename(tmp_path / "dm.pt")
    made, _ = home.session.import_sets(tmp_path / "dm.pt", "digits")
    (row,), _ = home.rows(f"all:artifact={made[0].artifact}")
    assert row["method"] == f"all-{made[0].artifact[:6]}"


def test_a_set_made_here_is_the_same_question_as_its_distiller_asks(home: Home) -> None:
    made = home.session.distill("digits", "random", 1, network=SMALL, scale="smoke")
    (own,), _ = home.rows(made, seeds=1)
    (asked,), _ = home.rows("random", seeds=1, ipc=[1])
    assert own["cells"] == asked["cells"]


def test_a_suite_of_anybody_takes_sets(home: Home) -> None:
    """One that loops over methods and sizes by itself has one row for a set all the same."""
    from stillproof.core.plugins import Plugin

    source = (Path(__file__).parent / "suites" / "widths.py").read_text(encoding="utf-8")
    session = Session(str(home.folder / "s.db"), plugins=[Plugin("widths.py", source)])
    options = {"dataset": ["digits"], "scale": "smoke", "methods": ["my-set", "random"]}
    _, rows, _ = session.plan_suite("widths", options)
    assert [(row["method"], row["ipc"], row["width"]) for row in rows] == [
        ("my-set", 2, 4),
        ("my-set", 2, 8),
        ("random", 1, 4),
        ("random", 1, 8),
    ]
    with pytest.raises(BadInput, match="my-set is a set of digits, not of mnist"):
        session.plan_suite("widths", options | {"dataset": ["digits", "mnist"]})
    session.close()


def test_with_several_data_sets_a_set_stands_with_its_own(home: Home) -> None:
    from stillproof.core.components import suites
    from stillproof.suite_methods import with_sets

    asked = suites.build(
        "accuracy", {"dataset": ["digits", "mnist"], "methods": ["my-set", "random"], "full_recipe": ""}
    )
    keys = [(row.keys["dataset"], row.keys["method"]) for row in with_sets(home.session, asked).rows()]
    assert [dataset for dataset, method in keys if method == "my-set"] == ["digits"]


def resealed(home: Home, folder: Path, **changes: Any) -> Path:
    """Write the set with another card, as anybody could."""
    stored = home.session.store.artifacts.read(home.made.artifact)
    card = stored.card | {key: value for key, value in changes.items() if key in stored.card}
    artifacts = Session(str(folder / "other.db")).store.artifacts
    artifacts.export(artifacts.write("distilled", changes.get("tensors", stored.tensors), card), folder / "set")
    return folder / "set"


def test_a_set_of_another_size_or_number_of_classes_is_refused(home: Home, tmp_path: Path) -> None:
    large = {"images": torch.zeros(20, 1, 9, 9), "labels": LABELS}
    with pytest.raises(
        BadInput, match=r"10 classes of images \(1, 9, 9\), but digits has 10 classes of images \(1, 8, 8\)"
    ):
        home.rows(resealed(home, tmp_path / "a", tensors=large))
    with pytest.raises(BadInput, match="the distilled set has 12 classes"):
        home.rows(resealed(home, tmp_path / "b", num_classes=12))


@pytest.mark.parametrize(
    ("methods", "options", "words"),
    [
        (["my-set"], {"dataset": ["mnist"]}, "my-set is a set of digits, and this run is about mnist: leave it out"),
        (["FILE"], {"dataset": ["mnist"]}, r"images \(20, 1, 8, 8\) and labels \(20,\) do not fit mnist"),
        (
            ["FILE"],
            {"dataset": ["digits", "mnist"]},
            "can be of one data set only, .* digits and mnist: import it first",
        ),
        (["my-set:steps=3"], {}, "my-set is an existing set, which takes no parameters"),
        (["mine:artifact=nowhere"], {}, "unknown artifact 'nowhere'"),
        (["my-sett"], {}, "unknown distiller or set 'my-sett'; did you mean .* or 'my-set-digits-2ipc-"),
        (["nothing-like-it"], {}, "unknown distiller or set 'nothing-like-it'; `stillproof list distillers`"),
        (["herdnig"], {}, "unknown distiller or set 'herdnig'; did you mean 'herding'"),
        (["dm(steps=3"], {}, "lacks a closing bracket"),
    ],
)
def test_what_is_no_set_of_the_run_is_refused_with_one_sentence(
    home: Home, methods: list[str], options: dict[str, Any], words: str
) -> None:
    given = [str(home.file) if method == "FILE" else method for method in methods]
    with pytest.raises(BadInput, match=words) as refused:
        home.rows(*given, **options)
    assert "\n" not in str(refused.value)


def test_a_model_is_no_set(home: Home) -> None:
    score = home.session.train(_request(home), network=SMALL, recipe="smoke", seeds=1)
    with pytest.raises(BadInput, match="is of kind model, but one of kind distilled is needed"):
        home.rows(score.models[0])


def test_dc_bench_answers_what_can_be_asked_of_a_set(home: Home) -> None:
    asked = {"sections": ["augmentation", "distribution", "cost"], "augmentations": ["none", "dsa"], "seeds": 1}
    options = {**OPTIONS, **asked, "methods": ["my-set", "random"], "full_recipe": "smoke"}
    assert set(home.session.run_suite("dc-bench", options).values()) == {"done"}
    tables = {table.name: table for table in home.session.tables("dc-bench")}
    scores = next(row for row in tables["augmentation-scores"].rows if row["method"] == "my-set")
    assert scores["best_augmentation"] == "dsa"
    assert any("my-set: the distilled set may have been made from held-out" in note for note in _notes(tables))
    covered = next(row for row in tables["distribution"].rows if row["method"] == "my-set")
    assert covered["coverage"] is not None
    assert "Missing: my-set existed before this run, so making it could not be timed." in tables["cost"].notes
    assert report_of(home.session.store, newest_run(home.session.store, "dc-bench")).figures()


def _notes(tables: Any) -> list[str]:
    return [note for table in tables.values() for note in table.notes]


def test_a_name_is_shared_by_sets_of_several_sizes_only_if_it_is_given(home: Home, tmp_path: Path) -> None:
    one = torch.cat([DATA.of_class(label)[:1] for label in range(10)])
    for folder, index in (("a", one), ("b", CHOSEN)):
        (tmp_path / folder).mkdir()
        torch.save({"images": DATA.read(index), "labels": DATA.labels[index]}, tmp_path / folder / "set.pt")
    files = [str(tmp_path / folder / "set.pt") for folder in "ab"]
    rows, _ = home.rows(*files)
    assert len({row["method"] for row in rows}) == 2, "nobody said that they belong together"
    rows, methods = home.rows(*(f"mine:artifact={file}" for file in files))
    assert [(row["method"], row["ipc"]) for row in rows] == [("mine", 1), ("mine", 2)]
    again, _ = home.rows(*methods)
    assert [row["cells"] for row in again] == [row["cells"] for row in rows], "what is written is read again"
    same = home.rows(f"mine:artifact={files[0]}", f"mine:artifact={files[0]}:decode=grid2x2")[0]
    assert len({row["method"] for row in same}) == 2, "two sets of one size"


@pytest.mark.parametrize(
    ("said", "words"),
    [("experimnt=0", "a file takes experiment and decode"), ("experiment=7", "no experiment 7")],
)
def test_what_is_said_of_a_file_is_checked(home: Home, said: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        home.rows(f"mine:artifact={home.file}:{said}")
    with pytest.raises(BadInput, match="unknown parameter 'decode' of set"):
        home.rows(f"mine:artifact={home.made.artifact[:12]}:decode=none")
