"""The lines of an audit: what was looked at, what was found, a verdict, and what that means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from stillproof.core.spec import Json
from stillproof.report.audit.findings import Findings, Flags
from stillproof.report.audit.origin import Origin, part_of
from stillproof.report.tables.table import Bytes
from stillproof.report.tables.text import text_of

Verdict = Literal["ok", "look", "problem"]
NAMED = 5  # images that a line names
BY_CHANCE = 0.001  # less likely than that is worth a look
FAR_OUTSIDE = 0.01  # of all values, beyond which pictures of a set are not what is trained on


@dataclass(frozen=True, slots=True)
class AuditLine:
    """One line; ``key`` names it for programs."""

    key: str
    looked_at: str
    found: str
    verdict: Verdict
    meaning: str

    def as_dict(self) -> Json:
        """Return it as JSON values."""
        return {key: getattr(self, key) for key in ("key", "looked_at", "found", "verdict", "meaning")}


def audit_lines(findings: Findings, result: Json, origin: Origin) -> list[AuditLine]:
    """Return all lines, those on test images first."""
    return [
        *_test_lines(findings),
        *_set_lines(findings),
        _classes(result),
        _range(result),
        _bytes(result),
        _knowledge(origin, result),
        _source(origin, result),
    ]


def _test_lines(found: Findings) -> Iterator[AuditLine]:
    exact = found.exact_test
    says = "These test images were learned from: no accuracy of this set counts." if exact.any() else ""
    yield _flagged("test-exact", "test images, byte by byte", found, exact, "problem", says)
    near = found.near_test
    says = "Test images, moved, mirrored or a little changed: see the picture." if near.any() else ""
    yield _flagged("test-near", "near copies of test images", found, near, "problem", says)
    like = found.like_test
    says = "To the network these look like test images: see the picture." if like.any() else ""
    yield _flagged("test-features", "lookalikes of test images in features", found, like, "look", says)
    pixels, features = found.leaning(), found.leaning("features.")
    leans = min(pixels.p, features.p) < BY_CHANCE
    yield AuditLine(
        "leaning",
        "nearer to test than to training images",
        f"{_share(pixels.count, pixels.total)} in pixels, {_share(features.count, features.total)} in features",
        "look" if leans else "ok",
        f"More than real training images are ({_percent(pixels.expected)}, {_percent(features.expected)}): was it "
        "made from test images?"
        if leans
        else f"Of real training images it is {_percent(pixels.expected)} and {_percent(features.expected)}.",
    )


def _set_lines(found: Findings) -> Iterator[AuditLine]:
    exact, near = int(found.exact("train").sum()), int(found.near_train.sum())
    copied = f"{exact} of {len(found)} byte by byte, {near} nearly" if exact or near else f"none of {len(found)}"
    every = "Real images, chosen and not made." if exact == len(found) else "All are real images, or hardly changed."
    says = every if exact + near == len(found) else "Real training images are among them."
    says = says if exact or near else "All images are made."
    yield AuditLine("train", "copies of training images", copied, "ok", says)
    repeated, alike = found.repeated, int(found.alike.sum())
    more = f"; {alike} much alike" if alike else ""
    said = _named(found, repeated) + more
    says = "Room is spent on what is there already." if repeated.any() else "No image is there twice."
    verdict: Verdict = "look" if repeated.any() else "ok"  # smooth images are alike without being copies
    yield AuditLine("duplicates", "duplicates within the set", said, verdict, says)
    wrong = found.mislabelled
    copies = bool((found.exact("train") | found.near_train | found.exact_test | found.near_test).any())
    says = "A copy has another class than its original." if wrong.any() else "Copies have their originals' classes."
    says = says if copies else "There are no copies."
    yield _flagged("labels", "copies with another class", found, wrong, "look", says)


def _classes(result: Json) -> AuditLine:
    counts: Sequence[int] = result["per_class"]
    empty = [name for name, count in zip(result["classes"], counts, strict=True) if not count]
    each = f"{min(counts)} each" if min(counts) == max(counts) else f"{min(counts)} to {max(counts)} each"
    if empty:
        said = f"{len(empty)} of {len(counts)}: {_listed(empty)}"
        return AuditLine("classes", "classes without images", said, "look", "Networks never see these classes.")
    says = "Every class has images." if min(counts) == max(counts) else "Every class has images, but not as many."
    return AuditLine("classes", "classes without images", f"none of {len(counts)}; {each}", "ok", says)


def _range(result: Json) -> AuditLine:
    share, low, high = (result["outside"][key] for key in ("share", "low", "high"))
    says = "Pictures of it can be stored as they are."
    if share:
        says = "Usual for learned images; cut off at 0 and 1 they are another set."
    said = f"{100 * share:.2g} %, from {low:.2g} to {high:.2g}" if share else "none"
    return AuditLine("range", "values outside [0, 1]", said, "look" if share > FAR_OUTSIDE else "ok", says)


def _bytes(result: Json) -> AuditLine:
    parts = result["bytes"]
    images, told = parts["images"], parts["labels"] + parts["teachers"]
    teachers = f" and teachers {text_of(Bytes(parts['teachers']))}" if parts["teachers"] else ""
    said = f"labels {text_of(Bytes(parts['labels']))}{teachers}, images {text_of(Bytes(images))}"
    says = "Most of what is stored is labels: compare by bytes." if told > images else "Most of it is images."
    return AuditLine("bytes", "bytes of labels", said, "look" if told > images else "ok", says)


def _knowledge(origin: Origin, result: Json) -> AuditLine:
    """Say what the labels may know of images that the set does not show."""
    what = "what labels may know"
    if origin.labels == "hard":
        return AuditLine("knowledge", what, "classes", "ok", "A class tells nothing of other images.")
    sources = origin.teachers or (origin.data,)
    who = "a teacher's answers" if origin.teachers else "soft labels"
    parts = {"test" if one == result["test"]["id"] else part_of(one) for one in sources}
    if "test" in parts:
        return AuditLine("knowledge", what, f"{who}, of test images", "problem", "They tell of test images.")
    if not all("@" in one for one in sources):
        says = "They may tell of held-out images, and of test images."
        return AuditLine("knowledge", what, f"{who}; of which images is unknown", "look", says)
    if parts == {"fit"}:
        return AuditLine("knowledge", what, f"{who}, without held-out images", "ok", "They tell of training images.")
    says = "They tell of held-out images: choose nothing by those."
    return AuditLine("knowledge", what, f"{who}, of training images", "look", says)


def _source(origin: Origin, result: Json) -> AuditLine:
    what = "what it was made from"
    if not origin.data:
        says = "Imported: it may have seen held-out images, and more."
        return AuditLine("source", what, "unknown", "look", says)
    part = part_of(origin.data)
    if part == "test" or origin.data == result["test"]["id"]:
        return AuditLine("source", what, "test images", "problem", "No accuracy of this set counts.")
    if origin.data == result["train"]["id"]:
        return AuditLine("source", what, "training images", "ok", "As its card says; held-out images are among them.")
    if part == "train":
        says = "Its card names other images than those that are here."
        return AuditLine("source", what, "training images of another version", "look", says)
    return AuditLine("source", what, f"training images, part {part!r}", "ok", "As its card says.")


def _flagged(key: str, what: str, found: Findings, flags: Flags, verdict: Verdict, says: str) -> AuditLine:
    any_ = bool(flags.any())
    return AuditLine(key, what, _named(found, flags), verdict if any_ else "ok", says or "No test image is among them.")


def _named(found: Findings, flags: Flags) -> str:
    """Return how many images, and which."""
    places = [found.called(int(place)) for place in np.flatnonzero(flags)]
    return f"{len(places)} of {len(found)}: {_listed(places)}" if places else f"none of {len(found)}"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{', '.join(names[:NAMED])}{more}"


def _share(count: int, total: int) -> str:
    return f"{_percent(count / total)} of {total}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
