"""MAD's score, against its formula, its limits and what its paper says of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillproof.core.errors import BadInput, Unsupported
from stillproof.score import dsr, edsr

shares = st.floats(0, 1)


def test_the_formula_by_hand() -> None:
    # (0.8 - 0.1) / (0.95 - 0.1 + 1 * (0.95 - 0.9))
    assert edsr(0.95, 0.1, 0.9, 0.8) == pytest.approx(0.7 / 0.9)
    assert edsr(0.95, 0.1, 0.9, 0.8, alpha=2.0) == pytest.approx(0.7 / 0.95)
    assert dsr(0.95, 0.1, 0.8) == pytest.approx(0.7 / 0.85)


@given(sa=st.floats(0.3, 1), ra=st.floats(0, 0.2), ra_after=shares)
def test_without_a_loss_on_clean_images_it_is_the_success_rate(sa: float, ra: float, ra_after: float) -> None:
    assert edsr(sa, ra, sa, ra_after) == pytest.approx(float(dsr(sa, ra, ra_after)))


@given(sa=st.floats(0.5, 1), ra=st.floats(0, 0.2), loss=st.floats(0, 0.3), more=st.floats(0.01, 0.2))
def test_a_loss_on_clean_images_lowers_it_and_a_gain_on_attacked_ones_raises_it(
    sa: float, ra: float, loss: float, more: float
) -> None:
    after = ra + 0.2
    assert edsr(sa, ra, sa - loss, after + more) > edsr(sa, ra, sa - loss, after)
    assert edsr(sa, ra, max(0.0, sa - loss - more), after) < edsr(sa, ra, sa - loss, after)


def test_it_can_exceed_one() -> None:
    assert edsr(0.9, 0.1, 0.95, 0.92) > 1, "as MAD's Figure 4 has it for most known attacks"
    assert edsr(0.9, 0.1, 0.9, 0.9) == 1


def test_an_attack_that_takes_nothing_away_has_no_score() -> None:
    with pytest.raises(Unsupported, match="the denominator is 0: the attack takes no more away"):
        dsr(0.9, 0.9, 0.9)
    with pytest.raises(Unsupported, match="not defined"):
        edsr(0.9, 0.85, 0.98, 0.9)


def test_arrays_are_scored_one_by_one() -> None:
    found = edsr(np.array([0.9, 0.8]), np.array([0.1, 0.2]), 0.7, np.array([0.6, 0.6]))
    assert found.tolist() == pytest.approx([0.5 / (0.8 + 0.2), 0.4 / (0.6 + 0.1)])


@pytest.mark.parametrize("wrong", [95.0, -0.1, float("nan")])
def test_percent_are_refused(wrong: float) -> None:
    with pytest.raises(BadInput, match=r"divide percent by 100"):
        edsr(0.9, 0.1, wrong, 0.5)
    with pytest.raises(BadInput, match="a weight is 0 or more"):
        edsr(0.9, 0.1, 0.9, 0.5, alpha=-1.0)
