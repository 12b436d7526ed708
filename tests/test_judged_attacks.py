"""What attacks left of a model, as the scores of pools count it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from stillproof.attack_answers import AttackScore, ImageOutcomes
from stillproof.core.errors import BadInput
from stillproof.verbs.judged_attacks import judged
from stillproof.verbs.pool_scores import pool_score

SIZES = np.array([0.1, 0.4, 0.6, 2.0], np.float32)  # the third and the fourth lie outside of 128/255


def deepfool(**changes: Any) -> AttackScore:
    """An attack that turned four images, by changes of several sizes."""
    yes, no = np.ones(4, bool), np.zeros(4, bool)
    classes = {"labels": np.zeros(4, np.int16), "clean_predictions": np.zeros(4, np.int16)}
    came_of = {"predictions": np.ones(4, np.int16), "clean_right": yes, "fooled": yes, "success": yes, "robust": no}
    costs = {"first_success": np.full(4, 9, np.int32), "linf": SIZES, "l2": SIZES, "l1": SIZES}
    outcomes = ImageOutcomes({**classes, **came_of, **costs})
    about: dict[str, Any] = {"clean_accuracy": 1.0, "robust_accuracy": 0.0, "outcomes": outcomes, "model": "mine"}
    return AttackScore("deepfool", "fair", 4, **about | changes)


def test_changes_without_a_ball_count_within_that_of_the_suite() -> None:
    (found,) = judged(deepfool()).attacks
    assert found.robust_accuracy == 0.5 and found.outcomes is not None
    assert found.outcomes["success"].tolist() == [True, True, False, False]


@pytest.mark.parametrize("changes", [{"eps": 8 / 255}, {"protocol": "faithful"}])
def test_others_stay_as_they_are(changes: dict[str, Any]) -> None:
    protocol = changes.pop("protocol", "fair")
    score = AttackScore("fgsm", protocol, 4, clean_accuracy=1.0, robust_accuracy=0.0, **changes)
    assert judged(score).attacks == [score]


def test_attacks_that_cannot_be_made_are_rows_with_a_reason_and_refused_if_there_are_no_others() -> None:
    missing = AttackScore("deepfool", "fair", 4, reason="it cannot aim", model="mine")
    with pytest.raises(BadInput, match="none of these attacks can be made on mine: it cannot aim"):
        judged(missing)
    both = AttackScore("worst case", "fair", 4, clean_accuracy=1.0, attacks=[deepfool(eps=1.0), missing], model="mine")
    found = pool_score("pool", "digits", [judged(both), judged(both)]).as_dict()
    assert [row["reason"] for row in found["attacks"]] == [None, "it cannot aim"] * 2
    assert found["rr"] == 0.0 and found["without_success"] == 0
