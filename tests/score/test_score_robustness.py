"""BEARD's scores against its published values (percent there, fractions here)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from stillproof.core.errors import BadInput, Unsupported
from stillproof.score.attacked_images import outcome_summary, worst_case
from stillproof.score.robustness import AttackPool, attack_efficiency, crei, mean_accuracy, robustness_ratio

# BACON on CIFAR-10 at 1, 10 and 50 images per class, targeted FGSM, PGD, PGD-L2 and C&W, from the shipped logs.
CLEAN = [0.4495, 0.6173, 0.6995]
ATTACKED = [
    [0.2959, 0.3061, 0.3373, 0.3658],
    [0.3913, 0.4010, 0.4406, 0.4493],
    [0.4468, 0.4559, 0.5081, 0.4471],
]
CLEAN_SECONDS = [2.50, 3.06, 3.04]
SECONDS = [[3.01, 8.52, 8.71, 73.94], [2.85, 8.32, 8.50, 73.75], [3.01, 11.96, 12.22, 75.82]]


def percent(score: float) -> float:
    return round(100 * score, 2)


def test_published_values_come_out_for_each_model() -> None:
    ratios = [robustness_ratio(clean, attacked) for clean, attacked in zip(CLEAN, ATTACKED, strict=True)]
    assert [percent(ratio) for ratio in ratios] == [19.78, 12.94, 6.99]
    found = [attack_efficiency(clean, spent) for clean, spent in zip(CLEAN_SECONDS, SECONDS, strict=True)]
    assert [percent(one) for one in found] == [29.46, 28.71, 31.21]


def test_published_values_come_out_for_all_models_together() -> None:
    rr, ae = robustness_ratio(CLEAN, ATTACKED), attack_efficiency(CLEAN_SECONDS, SECONDS)
    assert (percent(rr), percent(ae), percent(crei(rr, ae))) == (36.83, 29.27, 33.05)


def test_a_single_attack_is_measured_against_a_named_pool() -> None:
    pool, times = AttackPool("CIFAR-10", CLEAN, ATTACKED), AttackPool("CIFAR-10", CLEAN_SECONDS, SECONDS)
    assert pool.largest(-1) == pytest.approx(0.2527)
    assert robustness_ratio(0.6995, [0.4468], pool=pool) == pytest.approx(0)
    assert robustness_ratio(0.4495, [0.2959], pool=pool) == pytest.approx(1 - 0.1536 / 0.2527)
    assert attack_efficiency(3.04, [11.96], pool=times) == pytest.approx(8.92 / 72.78)
    with pytest.raises(BadInput, match="more than any of the pool 'CIFAR-10'"):
        robustness_ratio(0.6995, [0.1], pool=pool)


@pytest.mark.parametrize(
    ("clean", "attacked", "says"),
    [(0.5, [0.4], "name a pool"), (0.5, [0.5, 0.5], "not defined"), ([0.5], [[0.6, 0.7]], "not defined")],
)
def test_ratios_that_mean_nothing_are_unsupported(clean: float, attacked: list[float], says: str) -> None:
    with pytest.raises(Unsupported, match=says):
        robustness_ratio(clean, attacked)
    with pytest.raises(Unsupported, match="not defined"):
        robustness_ratio(0.5, [0.5], pool=AttackPool("flat", [0.5], [[0.5]]))
    with pytest.raises(Unsupported, match="no attack takes more time"):
        attack_efficiency(3.0, [3.0, 2.0])


def test_percent_and_lists_that_do_not_fit_are_refused() -> None:
    with pytest.raises(BadInput, match="divide percent by 100"):
        robustness_ratio(44.95, [29.59, 30.61])
    with pytest.raises(BadInput, match="2 clean values and 1 lists"):
        robustness_ratio([0.5, 0.6], [[0.1, 0.2]])
    with pytest.raises(BadInput, match="number of seconds"):
        attack_efficiency(1.0, [float("nan"), 2.0])
    with pytest.raises(BadInput, match="divide percent by 100"):
        robustness_ratio(0.45, [0.3], pool=AttackPool("percent", [45.0], [[30.0]]))
    with pytest.raises(BadInput, match="no image"):
        worst_case([[]])
    with pytest.raises(BadInput, match="alpha = 2"):
        crei(0.5, 0.5, 2)


@given(st.lists(st.floats(0, 0.5), min_size=2, max_size=6), st.floats(0.6, 1))
def test_a_ratio_is_a_fraction_and_its_order_plays_no_part(attacked: list[float], clean: float) -> None:
    found = robustness_ratio(clean, attacked)
    assert -1e-9 <= found <= 1
    assert robustness_ratio(clean, attacked[::-1]) == pytest.approx(found)
    assert robustness_ratio([clean], [attacked]) == found


def test_a_single_number_may_be_of_any_kind() -> None:
    expected = robustness_ratio(0.5, [0.25, 0.375])
    for clean in (np.float32(0.5), np.array(0.5), torch.tensor(0.5)):
        assert robustness_ratio(clean, [0.25, 0.375]) == expected  # type: ignore[arg-type]


def test_a_gain_is_no_loss_of_the_pool() -> None:
    pool = AttackPool("gains", [0.5, 0.5], [[0.9], [0.4]])
    assert pool.largest(-1) == pytest.approx(0.1) and pool.largest(1) == pytest.approx(0.4)


def test_means_are_over_all_attacks_of_all_models() -> None:
    assert mean_accuracy([[0.1, 0.2], [0.6]]) == pytest.approx(0.3)
    assert mean_accuracy([0.1, 0.3]) == pytest.approx(0.2)
    with pytest.raises(BadInput, match="no attack"):
        mean_accuracy([])


def test_outcomes_come_to_shares_of_all_images_and_means_over_those_that_were_turned() -> None:
    masks: dict[str, Any] = {"clean_right": [True, True, True, False], "robust": [True, False, False, False]}
    costs = {"first_success": [-1, 1, 3, -1], "l2": [0.0, 0.5, 0.75, 9.0]}
    found = outcome_summary(masks | {"success": [False, True, True, False]} | costs)
    shares = {"n": 4, "clean_accuracy": 0.75, "robust_accuracy": 0.25, "success_rate": 0.5}
    assert found == shares | {"passes_to_success": 2.0, "median_l2": 0.625}
    none = outcome_summary(masks | {"success": [False] * 4} | costs)
    assert none["passes_to_success"] is None and none["median_l2"] is None


def test_the_worst_case_is_taken_image_by_image() -> None:
    masks = [[True, True, False, True], [False, True, True, True]]
    assert worst_case(masks).tolist() == [False, True, False, True]
    assert worst_case(masks).mean() == 0.5 < min(np.mean(one) for one in masks)
    with pytest.raises(BadInput, match="differ in number"):
        worst_case([[True], [True, False]])
    with pytest.raises(BadInput, match="no attack"):
        worst_case([])
