"""Reads arrays of a Matlab file in a process of its own, which damage may crash.

It is called with the bytes of memory and the seconds that it may take, and then the names of the arrays. The file comes
by standard input, and the arrays leave by standard output, one after the other, as numpy writes them. It ends with code
1 and a reason on standard error if it cannot; it imports nothing of the package.
"""

from __future__ import annotations

import resource
import struct
import sys
import zlib
from typing import BinaryIO

HEADER = 128  # bytes, of which the last two tell the order of bytes
ORDERS = {b"IM": "<", b"MI": ">"}
COMPRESSED = 15  # the type of a part that is packed
CHUNK = 2**20


def main() -> int:
    """Limit this process, and read."""
    memory, seconds, names = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))  # the signal of the first tells what happened
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    import numpy as np
    from scipy.io import loadmat

    try:
        _check_parts(sys.stdin.buffer)
        sys.stdin.buffer.seek(0)
        content = loadmat(sys.stdin.buffer, variable_names=names)
        for name in names:
            np.save(sys.stdout.buffer, content[name], allow_pickle=False)
        sys.stdout.buffer.flush()
    except KeyError as error:
        sys.stderr.write(f"it has no array {error}")
        return 1
    except Exception as error:  # a broken file can raise anything
        said = " ".join(ascii(str(error))[1:-1].split())
        sys.stderr.write(said[:200] or type(error).__name__)
        return 1
    return 0


def _check_parts(file: BinaryIO) -> None:
    """Refuse a file whose parts do not fill it, or whose packed parts are damaged: the parser looks at no checksum."""
    header = file.read(HEADER)
    order = ORDERS.get(header[126:], "")
    if not order:
        raise ValueError("it is not of version 5 of the format")
    while tag := file.read(8):
        kind, size = struct.unpack(f"{order}II", tag)  # an error, if fewer bytes are left
        unpacked = zlib.decompressobj()
        left = size if kind == COMPRESSED else size + -size % 8  # others end at a multiple of eight
        while left:
            piece = file.read(min(left, CHUNK))
            if not piece:
                raise ValueError("it is cut short")
            left -= len(piece)
            while kind == COMPRESSED and piece:
                unpacked.decompress(piece, CHUNK)
                piece = unpacked.unconsumed_tail
        if kind == COMPRESSED and (not unpacked.eof or unpacked.unused_data):
            raise ValueError("a packed part is damaged")


if __name__ == "__main__":
    sys.exit(main())
