"""What a session shows: tables, figures, pictures and the state of its store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from stillproof import BadInput, Session

SMALL = "convnet-1:width=4"
OPTIONS: dict[str, Any] = {"dataset": ["digits"], "network": [SMALL], "scale": "smoke", "full_recipe": "", "seeds": 1}


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """A session with two runs; the newer one has one method."""
    with Session(str(tmp_path_factory.mktemp("shows") / "s.db")) as opened:
        opened.run_suite("accuracy", OPTIONS | {"methods": ["random", "herding"], "ipc": [1]}, name="both")
        opened.run_suite("accuracy", OPTIONS | {"methods": ["random"], "ipc": [1]}, name="one", note="later")
        yield opened


def test_a_run_is_found_by_what_running_it_gives(session: Session) -> None:
    states = session.run_suite("accuracy", OPTIONS | {"methods": ["random", "herding"], "ipc": [1]})
    assert set(states.values()) == {"done"} and methods(session, run=states.run) == ["random", "herding"]
    session.run_suite("accuracy", OPTIONS | {"methods": ["random"], "ipc": [1]})
    assert methods(session, suite="accuracy") == ["random"] != methods(session, run=states.run)


def methods(session: Session, **options: Any) -> list[Any]:
    return [row["method"] for row in session.table(**options).rows]


def test_a_table_is_of_the_run_and_the_methods_that_are_named(session: Session) -> None:
    assert methods(session, suite="accuracy") == ["random"], "the newest"
    assert methods(session, run="both") == methods(session, run=1) == ["random", "herding"]
    assert methods(session, run=session.store.results.runs()[-1], methods=["herding"]) == ["herding"]
    assert [table.title for table in session.tables(run="both")] == [session.table(run="both").title]
    assert [row["method"] for row in session.by_class(run="both").tables()[0].rows] == ["random", "herding"]
    for options in ({}, {"run": "nonesuch"}, {"run": "both", "methods": ["dm"]}, {"suite": "dc-bench", "run": "one"}):
        with pytest.raises(BadInput):
            session.table(**options)


def test_figures_are_returned_and_written_only_if_asked_for(session: Session, tmp_path: Path) -> None:
    assert set(session.plot(run="both")) == {"accuracy"} and not list(tmp_path.iterdir())
    session.plot("accuracy", out=tmp_path / "figures", form="pdf")
    assert [path.name for path in (tmp_path / "figures").iterdir()] == ["accuracy.pdf"]
    with pytest.raises(BadInput, match=r"end its name in one of \.png"):
        session.plot(run="both", out=tmp_path, form="bmp")


def test_a_gallery_shows_sets_and_runs_and_is_a_picture_in_a_notebook(session: Session, tmp_path: Path) -> None:
    made = session.distill("digits", "dm:steps=2:batch_real=8", 1, network=SMALL, snapshots=[0])
    gallery = session.gallery(made, run="both", out=tmp_path / "new" / "g.png")
    assert len(gallery.titles) == 3 and gallery.titles[0].startswith("dm, digits")
    with Image.open(tmp_path / "new" / "g.png") as written:
        assert written.size == gallery.pictures[0].size
    assert gallery._repr_png_().startswith(b"\x89PNG") and "dm, digits" in repr(gallery)
    moving = session.gallery(made.name, animate=True)
    assert list(moving.frames) == ["step 0", "result"] and "2 frames" in repr(moving)
    with pytest.raises(BadInput, match=r"end its name in one of \.gif"):
        moving.save(tmp_path / "g.png")
    with pytest.raises(BadInput, match="name the run with run="):
        session.gallery(made, ipc=[1])
    with pytest.raises(BadInput, match="at least one artifact"):
        session.gallery()


def test_the_status_says_what_was_asked_in_a_few_lines(session: Session) -> None:
    lines = repr(session.status()).splitlines()
    assert "run 2 'one': accuracy random of digits, 1 of 1 done" in lines
    assert "run 1 'both': accuracy random, herding of digits, 2 of 2 done" in lines
    assert " done" in lines[0] and len(lines) >= 3
    score = session.train("digits", network=SMALL, recipe="smoke", seeds=1)
    told = f"digits of digits, 1 of 1 done, accuracy {100 * score.accuracy.mean:.1f} %"
    assert any(line.endswith(told) for line in repr(session.status()).splitlines())
