"""Note what a local file or model directory holds, so that DVC sees when it changes."""

from pathlib import Path

from analysis.paths import INPUTS
from analysis.stage import run, write_json
from attention_mixing.errors import InputError
from attention_mixing.hashing import file_sha256
from attention_mixing.params import Params


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
        If there is neither a file nor a directory, or in the directory something else, such as a
        pipe, which could be read for ever.
    """
    entry = params.files[name]
    path = Path(entry)
    try:
        inside = (path, *path.rglob("*"))
        other = next(
            (member for member in inside if not (member.is_file() or member.is_dir())), None
        )
    except OSError:  # a name that is too long, a directory that may not be entered
        other = path
    if other is not None:
        raise InputError(
            f"files.{name} is {entry}, {'which' if other == path else f'where {other}'} is neither "
            "a file nor a directory that can be read; allowed: a file or a model directory, its "
            "path written out (`~` is not expanded); correct the path in params.yaml."
        )
    return path


if __name__ == "__main__":
    run(note, "files")
