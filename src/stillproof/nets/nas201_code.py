"""How an architecture of NAS-Bench-201 is written: its usual text, or six digits that need no quotes in a shell."""

from __future__ import annotations

import re

# The place of an operation is its digit.
OPERATIONS = ("none", "skip_connect", "nor_conv_1x1", "nor_conv_3x3", "avg_pool_3x3")
NODES = 4  # the first is the cell's input, the last its output
EDGES = tuple((source, node) for node in range(1, NODES) for source in range(node))  # in the order of the text


def operations_of(arch: str) -> tuple[str, ...]:
    """Return the operation of every edge, in the order of ``EDGES``.

    Args:
        arch: ``|op~0|+|op~0|op~1|+|op~0|op~1|op~2|``, where the number is the node that an edge comes from, or the
            digits of the six operations in the same order.

    Raises:
        ValueError: ``arch`` is neither.
    """
    if re.fullmatch(f"[0-{len(OPERATIONS) - 1}]{{{len(EDGES)}}}", arch):
        return tuple(OPERATIONS[int(digit)] for digit in arch)
    found = tuple(re.findall(r"(\w+)~", arch))
    if set(found) <= set(OPERATIONS) and len(found) == len(EDGES) and _text(found) == arch:
        return found
    raise ValueError(
        f"{arch!r} is not an architecture of NAS-Bench-201: write |op~0|+|op~0|op~1|+|op~0|op~1|op~2| with "
        f"{', '.join(OPERATIONS)}, or {len(EDGES)} digits from 0 to {len(OPERATIONS) - 1}"
    )


def arch_text(arch: str) -> str:
    """Return the usual text of an architecture that is written either way."""
    return _text(operations_of(arch))


def arch_digits(arch: str) -> str:
    """Return the six digits of an architecture that is written either way."""
    return "".join(str(OPERATIONS.index(operation)) for operation in operations_of(arch))


def _text(operations: tuple[str, ...]) -> str:
    edges = list(zip(EDGES, operations, strict=True))
    nodes = ["".join(f"|{op}~{source}" for (source, to), op in edges if to == node) for node in range(1, NODES)]
    return "+".join(f"{node}|" for node in nodes)
