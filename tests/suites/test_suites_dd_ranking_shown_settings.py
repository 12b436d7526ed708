from __future__ import annotations

from typing import Any

from stillproof.report.answers import Answered
from stillproof.report.tables.formats import to_json
from stillproof.report.tables.table import Marked, Number
from stillproof.report.tables.text import shown
from stillproof.suites.dd_ranking.shown_settings import settings_tables

USUAL = {
    "section": "settings",
    "scale": "quick",
    "dataset": "digits",
    "protocol": "fair",
    "ipc": 10,
    "recipe": "quick",
    "network": "convnet-1",
    "epochs": 100,
    "batch": 256,
    "optimiser": "sgd",
    "lr": 0.01,
    "weight_decay": 0.0005,
    "schedule": "step",
    "augment": "none",
    "objective": "cross-entropy",
    "label_kind": "hard",
    "teacher": "",
    "hard_recipe": "quick",
}


def setting(method: str, **keys: Any) -> Answered:
    return Answered({**USUAL, "method": method, **keys}, [])


ROWS = [
    setting("dm"),
    setting("k-center"),
    setting("rded", lr=0.001, teacher="convnet-1-bn", recipe="rded", ipc=10),
]


def test_what_differs_from_most_is_marked() -> None:
    (table,) = settings_tables({"settings": ROWS})
    dm, _, rded = table.rows
    assert (dm["lr"], dm["epochs"], dm["teacher"]) == (Number(0.01, "g"), 100, None)
    assert rded["lr"] == Marked(Number(0.001, "g")) and rded["epochs"] == 100
    assert rded["teacher"] == Marked("convnet-1-bn")
    assert rded["recipe"] == "rded", "a recipe is all the others under one name"
    text = shown(table)
    assert dict(zip(text.header, text.rows[2], strict=True))["lr"] == "0.001*"
    assert to_json(table)["rows"][2]["lr"] == 0.001 and to_json(table)["rows"][0]["teacher"] is None


def test_without_a_most_common_value_all_are_marked() -> None:
    (table,) = settings_tables({"settings": [setting("dm"), setting("rded", lr=0.001)]})
    assert [line["lr"] for line in table.rows] == [Marked(Number(0.01, "g")), Marked(Number(0.001, "g"))]
    assert not any(isinstance(line["batch"], Marked) for line in table.rows)
    absent = [setting("dm"), setting("rded", teacher="mlp"), setting("sre2l", teacher="mlp")]
    (table,) = settings_tables({"settings": absent})
    assert table.rows[0]["teacher"] == Marked(None) and "-*" in shown(table).rows[0]


def test_what_changes_with_hard_labels_is_said() -> None:
    hard = "rded:batch=50:objective=cross-entropy:augment=rded-aug(mixed=False,flip=False)"
    changed = setting("rded", recipe="rded:batch=50:augment=rded-aug(flip=False)", hard_recipe=hard)
    (table,) = settings_tables({"settings": [setting("dm"), changed, setting("mine", hard_recipe="smoke")]})
    assert [line["with_hard_labels"] for line in table.rows] == [
        "the same",
        "objective=cross-entropy, augment=rded-aug(mixed=False,flip=False)",
        "smoke",
    ]
    assert to_json(table)["rows"][1]["hard_recipe"] == hard


def test_methods_are_compared_with_those_of_the_same_size_and_data_set() -> None:
    other = [setting("dm", ipc=50, batch=50), setting("dm", dataset="cifar10", network="convnet-3")]
    (table,) = settings_tables({"settings": [*ROWS, *other]})
    assert not any(isinstance(value, Marked) for line in table.rows[3:] for value in line.values())
