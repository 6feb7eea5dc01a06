"""Files as the explorer's script opens them (``packed.js``): small, and as exact as is printed.

An array is whole numbers in one or two bytes, the high bytes first and then the low ones, which
deflates well. A page opened from a disk can load scripts and nothing else, so the bytes of a file
are written as text: in base64 where it lies in the page, else in characters of 15 bits.
"""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Of a share in [0, 1]: what is printed has three digits. Of long texts, of which a file would be
# too large, one digit less; a row of these has no large shares but for sinks.
FINE, COARSE = 60_000, 10_000
LONG = 128  # tokens
UNDEFINED = 65_535
# Of trained models, in a script: bytes of a weight, and of a number of a vector.
A_WEIGHT, A_NUMBER = 1.7, 2.15
# From here on, 2^15 characters are letters and signs: no quote, no control, no half of a character.
FIRST_CHARACTER = 0x3400


def pack_shares(values: NDArray[np.floating]) -> dict[str, Any]:
    """Pack weights and rows, ``[..., key]``, from 0 to 1; what is not a number stays so.

    The result has ``shape``, ``unit``, ``bytes`` of a number, and ``data``.
    """
    steps = FINE if values.shape[-1] <= LONG else COARSE
    whole = np.rint(np.clip(values, 0, 1).astype(np.float64) * steps)
    whole = np.where(np.isnan(values), UNDEFINED, whole).astype("<u2")
    return {"shape": values.shape, "unit": 1 / steps, "bytes": 2, "data": _planes(whole)}


def pack_numbers(values: NDArray[np.floating]) -> dict[str, Any]:
    """Pack any numbers, such as vectors and places on a map, to 1 in 30,000 of the largest.

    The result is as that of :func:`pack_shares`, with ``zero``, the step that stands for 0.
    """
    largest = float(np.nanmax(np.abs(values), initial=0)) or 1.0
    whole = np.rint(values.astype(np.float64) / largest * 30_000) + 30_000
    whole = np.where(np.isnan(values), UNDEFINED, whole).astype("<u2")
    unit = float(f"{largest / 30_000:.6g}")
    packed = {"shape": values.shape, "unit": unit, "bytes": 2, "data": _planes(whole)}
    return packed | {"zero": 30_000}


def predicted_bytes(heads: int, tokens: int, dimension: int = 64) -> float:
    """Predict how large the files of heads are, with attention, query and key of one text.

    ``heads`` are those of all layers together; a query has ``dimension`` numbers.
    """
    return heads * tokens * (A_WEIGHT * tokens + A_NUMBER * 2 * dimension)


def pack_shades(values: NDArray[np.floating]) -> dict[str, Any]:
    """Pack what is only looked at, from 0 to 1, in 255 steps of the square root.

    The result has ``shape``, ``bytes`` of a number, and ``data``.
    """
    whole = np.rint(np.sqrt(np.clip(values, 0, 1)) * 255).astype(np.uint8)
    return {"shape": values.shape, "bytes": 1, "data": _planes(whole)}


def pooled(maps: NDArray[np.floating], side: int) -> NDArray[np.floating]:
    """Make maps ``[..., query, key]`` no larger than ``side``, by the largest of neighbours.

    Queries, and keys, that are no more than that stay the same.
    """
    for axis in (-2, -1):
        size = maps.shape[axis]
        if size > side:
            starts = np.linspace(0, size, side, endpoint=False).astype(int)
            maps = np.maximum.reduceat(maps, starts, axis=axis)
    return maps


def _planes(whole: NDArray[np.unsignedinteger]) -> bytes:
    # In memory the low byte is first, so the last plane is that of the high ones.
    return whole.reshape(-1, 1).view(np.uint8).T[::-1].tobytes()


def deflated(content: Any) -> bytes:
    """Write the content of a file: as JSON, a zero byte, and the arrays; all deflated by zlib.

    Content is anything that JSON holds, and arrays as the functions above pack them. In JSON,
    ``data`` of an array is where it begins among the arrays.
    """
    arrays = bytearray()

    def begin(data: bytes) -> int:
        place = len(arrays)
        arrays.extend(data)
        return place

    written = json.dumps(content, separators=(",", ":"), allow_nan=False, default=begin)
    return zlib.compress(b"\0".join([written.encode("ascii"), arrays]), level=9)


def in_base64(data: bytes) -> str:
    """Write bytes as ASCII for a page in UTF-8, of which three quarters are what is said."""
    return base64.b64encode(data).decode("ascii")


def in_characters(data: bytes) -> str:
    """Write bytes for a script in UTF-16, of which 15 of 16 bits are what is said.

    First the number of bytes and a space, then characters, each with the next 15 bits above
    :data:`FIRST_CHARACTER`; those beyond the last byte are 0.
    """
    bits = np.unpackbits(np.frombuffer(data, np.uint8))
    groups = np.pad(bits, (0, -len(bits) % 15)).reshape(-1, 15)
    numbers = FIRST_CHARACTER + groups @ (1 << np.arange(15)[::-1])
    return f"{len(data)} {numbers.astype('<u2').tobytes().decode('utf-16-le')}"
