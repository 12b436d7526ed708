"""What people call the images and the labels of a set: as arrays, as entries of a dictionary, or as files."""

from __future__ import annotations

from collections.abc import Container

# The words of one line belong together; all are compared in small letters.
PAIRS = (
    ("images", "labels"),
    ("image", "label"),
    ("imgs", "labels"),
    ("x", "y"),
    ("x_train", "y_train"),
    ("data", "targets"),
    ("data", "target"),
    ("inputs", "targets"),
    ("image_syn", "label_syn"),
    ("images_syn", "labels_syn"),
    ("syn_images", "syn_labels"),
    ("images_train", "labels_train"),
    ("train_images", "train_labels"),
)
ANY = tuple((images, labels) for images, _ in PAIRS for _, labels in PAIRS)


def pair_of(names: Container[str]) -> tuple[str, str] | None:
    """Return what images and labels are called among ``names``; words that belong together come first."""
    return next((pair for pair in (*PAIRS, *ANY) if all(name in names for name in pair)), None)
