from __future__ import annotations

from collections.abc import Sequence

import pytest
from answered import BROKEN, mean
from ranked import N_TEST, ranked

from stillproof.report.answers import Answered
from stillproof.report.figures.captions import caption
from stillproof.report.rows import by_section
from stillproof.report.tables.table import Difference
from stillproof.score.stats import summarise, summarise_accuracies
from stillproof.suites.dd_ranking.shares import STEPS, chains_of, shares_figures, shares_tables

Seeds = Sequence[float | None]
WAY: list[Seeds] = [[0.50, 0.52], [0.40, 0.44], [0.70, 0.70], [0.80, 0.78]]


def chain(way: Sequence[Seeds], method: str = "rded", ipc: int = 10) -> list[Answered]:
    return [ranked("shares", method, ipc, values, step=step) for step, values in zip(STEPS, way, strict=False)]


def test_each_step_is_compared_with_the_one_before_it() -> None:
    (table,) = shares_tables(by_section(chain(WAY)))
    (line,) = table.rows
    assert mean(line["start"]) == pytest.approx(0.51) and mean(line["total"]) == pytest.approx(0.79)
    assert [mean(line[step]) for step in STEPS[1:]] == pytest.approx([-0.09, 0.28, 0.09])
    added = line["its images"]
    assert isinstance(added, Difference) and added.summary.ci95 == pytest.approx(summarise([-0.10, -0.08]).ci95)


def test_the_parts_of_a_bar_add_up_to_its_total_over_the_seeds_that_have_all() -> None:
    way = [WAY[0], [0.40, None], *WAY[2:]]
    (found,) = chains_of(chain(way))
    parts, total = found.whole()
    assert total is not None and total.n == 1 and total.mean == pytest.approx(0.80)
    assert sum(part.mean for part in parts if part is not None) == pytest.approx(total.mean)
    (table,) = shares_tables(by_section(chain(way)))
    assert mean(table.rows[0]["its augmentation"]) == pytest.approx(0.09), "both seeds have these two"
    assert any(note.startswith("Not all seeds have all steps") for note in table.notes)
    assert f"Missing: {BROKEN}" in table.notes
    (even,) = shares_tables(by_section(chain(WAY)))
    assert not any(note.startswith("Not all seeds") for note in even.notes)


def test_a_broken_step_is_a_dash() -> None:
    (table,) = shares_tables(by_section(chain([WAY[0], [None, None], *WAY[2:]])))
    (line,) = table.rows
    assert line["its images"] is line["its labels"] is None and mean(line["its augmentation"]) and mean(line["total"])
    missing = chain(WAY)[:2]
    (table,) = shares_tables(by_section(missing))
    assert table.rows[0]["total"] is None and mean(table.rows[0]["its images"]) == pytest.approx(-0.09)
    assert shares_figures(by_section(missing)) == {} and shares_figures({}) == {}


def test_the_bars_show_what_is_taken_away() -> None:
    rows = [*chain(WAY), *chain([WAY[0], [None, None], *WAY[2:]], "dm")]
    (figure,) = shares_figures(by_section(rows)).values()
    assert (figure.names, figure.group_name, figure.chance) == (STEPS, "method", 0.1)
    rded, dm = figure.stacks
    assert (rded.group, rded.panel) == ("rded", "10 images per class") and dm.group == "dm"
    assert rded.known() == pytest.approx([0.51, -0.09, 0.28, 0.09]) and dm.known() == [] and dm.total is None
    assert rded.total == summarise_accuracies([0.80, 0.78], N_TEST)
    for part in ("hatched: it takes away", "No result: dm.", "n = 2 seeds"):
        assert part in caption(figure)
