"""Note what a local file or model directory holds, so that DVC sees when it changes."""

from pathlib import Path

from analysis.errors import InputError
from analysis.hashing import file_sha256
from analysis.params import Params
from analysis.stage import run, write_json

INPUTS = Path("inputs")


def note(params: Params, name: str) -> None:
    """Write ``inputs/NAME.json``: the path as given, and size and sha256 of every file of it."""
    path = existing(params, name)
    folder, members = (path, sorted(path.rglob("*"))) if path.is_dir() else (path.parent, [path])
    content = {
        member.relative_to(folder).as_posix(): {
            "bytes": member.stat().st_size,
            "sha256": file_sha256(member),
        }
        for member in members
        if member.is_file()
    }
    write_json(INPUTS / f"{name}.json", {"path": params.files[name], "content": content})


def existing(params: Params, name: str) -> Path:
    """Path of what is named under ``files``.

    Raises
    ------
    InputError
        If there is nothing.
    """
    path = Path(params.files[name]).expanduser()
    if not path.exists():
        raise InputError(
            f"files.{name} is {params.files[name]}, which does not exist; allowed: a file or a "
            "model directory; correct the path in params.yaml."
        )
    return path


if __name__ == "__main__":
    run(note, "files")
