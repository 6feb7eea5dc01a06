"""Note what a local file or model directory holds, so that DVC sees when it changes."""

from analysis.parameters import Params
from analysis.paths import INPUTS
from analysis.pipeline.stage import existing_path, run, write_json
from attention_mixing.hashing import file_sha256


def note(params: Params, name: str) -> None:
    """Write ``inputs/NAME.json``: the path as given, and size and sha256 of every file of it."""
    path = existing_path(params, name)
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


if __name__ == "__main__":
    run(note, "files")
