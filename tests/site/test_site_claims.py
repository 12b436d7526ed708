"""What the site says of numbers that are claimed, reported, of an earlier version, or of another protocol."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from risen import risen_since
from stillproof.core.components import distillers
from stillproof.data.load import load
from stillproof.session import Session
from stillproof.site.sorts import EXISTING, MADE, REAL, UNKNOWN, kind_of
from stillproof.store.read_bundle import bundle_text

TINY = {"dataset": ("digits",), "scale": "smoke", "network": "convnet-1:width=4", "full_recipe": "", "seeds": 2}
ASKED = TINY | {"methods": ("random", "dm"), "ipc": (1,)}
CLAIMED = "All of these numbers were computed elsewhere"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Session, Path]]:
    folder = tmp_path_factory.mktemp("made")
    with Session(str(folder / "x.db")) as session:
        found = session.export_results(session.run_suite("accuracy", ASKED).run, name="talk")
        (folder / "talk.json").write_text(bundle_text(found), encoding="utf-8")
        session.import_results(folder / "talk.json")
        yield session, folder / "talk.json"


def board(site: Path) -> str:
    (found,) = site.glob("board-*.html")
    return found.read_text(encoding="utf-8")


def test_a_claim_stands_beside_what_was_computed_here(bundle: tuple[Session, Path], tmp_path: Path) -> None:
    site = bundle[0].site(tmp_path / "site").parent
    assert board(site).count(">claimed ") == 2 and CLAIMED not in board(site)
    claims = (site / "claims.html").read_text(encoding="utf-8")
    assert "2 of 2 numbers of talk lie in their claimed intervals" in claims and "stillproof verify" not in claims


def test_numbers_from_elsewhere_alone_are_called_claims(bundle: tuple[Session, Path], tmp_path: Path) -> None:
    with Session(str(tmp_path / "other.db")) as other:
        other.import_results(bundle[1])
        site = other.site(tmp_path / "site").parent
    assert CLAIMED in board(site) and ">claimed " not in board(site)
    assert "stillproof verify talk" in (site / "claims.html").read_text(encoding="utf-8")


def test_answers_of_an_earlier_version_are_marked_and_left_out(bundle: tuple[Session, Path], tmp_path: Path) -> None:
    with risen_since(tmp_path, distillers_dm="distill/dm.py"):
        page = board(bundle[0].site(tmp_path / "site").parent)
    _, _, row = page.partition('data-method="dm"')
    row = row.partition("</tr>")[0]
    assert 'class="stale" title="distiller dm"' in row and 'class="none"' in row and 'class="mean"' not in row
    assert "stale" not in page.partition('data-method="dm"')[0]


def test_protocols_have_boards_of_their_own_and_one_table_together(tmp_path: Path) -> None:
    with Session(str(tmp_path / "x.db")) as session:
        for protocol in ("fair", "faithful"):
            session.run_suite("accuracy", ASKED | {"methods": ("random",), "protocol": protocol})
        site = session.site(tmp_path / "site").parent
    boards = sorted(site.glob("board-*.html"))
    assert [path.stem.endswith("-faithful") for path in boards].count(True) == 1 and len(boards) == 2
    whole = (site / "all-digits.html").read_text(encoding="utf-8")
    assert 'data-protocol="fair"' in whole and 'data-protocol="faithful"' in whole
    assert f'href="{boards[0].name}"' in boards[1].read_text(encoding="utf-8")


def test_what_an_author_reports_stands_beside_ours(tmp_path: Path) -> None:
    data = load("digits", "train", Path())
    images, labels = data.read(slice(0, 40)), data.labels[:40]
    accuracies = {"ConvNetD1": [np.float64(0.5), np.float64(0.6)]}
    path = tmp_path / "res_DC_digits_ConvNet_4ipc.pt"
    torch.save({"data": [[images, labels]], "accs_all_exps": accuracies}, path)
    with Session(str(tmp_path / "x.db")) as session:
        made = session.import_sets(path, dataset="digits").sets[0]
        asked = TINY | {"network": "convnet-1:pooling=avg", "methods": (made.artifact,), "ipc": (4,)}
        session.run_suite("accuracy", asked | {"recipe": "smoke:epochs=1"})
        site = session.site(tmp_path / "site").parent
    assert "reported 55.0" in board(site) and 'data-kind="existing set" data-labels="hard"' in board(site)
    claims = (site / "claims.html").read_text(encoding="utf-8")
    assert "the file reports 55.00 %" in claims and "recipes differ" in claims


def test_the_code_of_a_method_says_whether_it_keeps_real_images() -> None:
    kinds = {name: kind_of(name, False) for name in distillers.entries()}
    assert {name for name, kind in kinds.items() if kind == REAL} == {
        "random", "full", "herding", "k-center", "k-center-greedy",
    }  # fmt: skip
    assert set(kinds.values()) == {REAL, MADE}
    assert kind_of("dm:steps=3", False) == MADE and kind_of("random:zca=true", False) == REAL
    assert kind_of("dm", True) == EXISTING and kind_of("never-heard-of", False) == UNKNOWN == kind_of("a:=(", False)
