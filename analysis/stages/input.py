"""Note what a local file or model directory holds, so that DVC sees when it changes."""

from pathlib import Path

from analysis.errors import InputError
from analysis.hashing import file_sha256
from analysis.params import Params
from analysis.stage import run, write_json

INPUTS = Path("inputs")


def note(params: Params, name: str) -> None:
    """Write ``inputs/NAME.json``: the path as given, and size and sha256 of every file of it."""
    path = Path(params.files[name]).expanduser()
    if not path.exists():
        raise InputError(
            f"files.{name} is {params.files[name]}, which does not exist; allowed: a file or a "
            "model directory; correct the path."
        )
    members = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    content = {
        member.relative_to(path).as_posix() if path.is_dir() else member.name: {
            "bytes": member.stat().st_size,
            "sha256": file_sha256(member),
        }
        for member in members
    }
    write_json(INPUTS / f"{name}.json", {"path": params.files[name], "content": content})


if __name__ == "__main__":
    run("input", note, "name")
