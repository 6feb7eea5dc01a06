"""Read the files of the explorer, as ``packed.js`` does."""

import base64
import json
import re
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np


def files_of(page: str) -> dict[str, Any]:
    """Content of the files that lie in a page."""
    found = re.findall(r'<script type="text/plain" id="file:([^"]+)">(.*?)</script>', page)
    return {name: opened(base64.b64decode(written)) for name, written in found}


def texts_of(page: str) -> list[Any]:
    """Files of the texts in a page."""
    return [one for name, one in files_of(page).items() if re.search(r"/text-\d+$", name)]


def opened(deflated: bytes) -> Any:
    """Content of a file; ``data`` of an array are the bytes from where it begins."""
    written, _, arrays = zlib.decompress(deflated).partition(b"\0")

    def with_bytes(found: dict[str, Any]) -> dict[str, Any]:
        return found | {"data": arrays[found["data"] :]} if "data" in found else found

    return json.loads(written, object_hook=with_bytes)


def unpacked(packed: Mapping[str, Any]) -> np.ndarray:
    """Array of a file; not a number where nothing is defined."""
    count = int(np.prod(packed["shape"]))
    planes = np.frombuffer(packed["data"][: count * packed["bytes"]], np.uint8)
    if packed["bytes"] == 1:
        return ((planes / 255) ** 2).reshape(packed["shape"])
    high, low = planes.reshape(2, -1).astype(np.int64)
    whole = 256 * high + low
    values = (whole - packed.get("zero", 0)) * packed["unit"]
    return np.where(whole == 65535, np.nan, values).reshape(packed["shape"])
