"""Data sections of files and of the hub, complete: a test changes what it is about."""

REVISION = "0123456789abcdef0123456789abcdef01234567"
_DRAWN = {"validation_fraction": 0.25, "limits": {"train": None, "test": None}, "seed": 0}
_ON_HUB = {"config": None, "revision": REVISION, "train": "train", "test": "test"}

FILES = _DRAWN | {
    "source": "files",
    "train": "train.csv",
    "test": "test.csv",
    "text": "text",
    "label": "label",
}
HUB = FILES | _ON_HUB | {"source": "hub", "name": "stanfordnlp/imdb"}
SQUAD_FILES = _DRAWN | {"source": "squad-files", "train": "train.json", "test": "test.json"}
SQUAD_HUB = _DRAWN | _ON_HUB | {"source": "squad-hub", "name": "rajpurkar/squad_v2"}
