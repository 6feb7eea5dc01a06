"""Unpack what ``packed.py`` packed, as ``packed.js`` does."""

import base64
import zlib

import numpy as np


def unpacked(packed: dict) -> np.ndarray:
    """Array of a file; not a number where nothing is defined."""
    data = packed["data"]
    deflated = data if isinstance(data, bytes) else base64.b64decode(data)  # read from a page
    planes = np.frombuffer(zlib.decompress(deflated), np.uint8)
    if packed["bytes"] == 1:
        return ((planes / 255) ** 2).reshape(packed["shape"])
    high, low = planes.reshape(2, -1).astype(np.int64)
    whole = 256 * high + low
    values = (whole - packed.get("zero", 0)) * packed["unit"]
    return np.where(whole == 65535, np.nan, values).reshape(packed["shape"])
