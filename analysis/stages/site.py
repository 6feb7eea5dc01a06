"""Put in front of the two sites what they share: the choice of a language, and scripts."""

from __future__ import annotations

import shutil
from importlib.metadata import distribution
from importlib.resources import as_file, files

from analysis.errors import InputError
from analysis.params import Params
from analysis.paths import REPORT, SITE
from analysis.stages.runner import replacing, run

# Name beside the two sites -> package that holds the file, and its path there. Plotly draws the
# maps; jQuery and d3 are what BertViz draws with.
SCRIPTS = {
    "plotly.min.js": ("plotly", "package_data/plotly.min.js"),
    "jquery.min.js": ("xstatic.pkg.jquery", "data/jquery.min.js"),
    "d3.js": ("xstatic.pkg.d3", "data/d3.js"),
}
# The package of d3 has the script alone, and neither holds the licence that goes with every copy.
D3_LICENCE = """\
Copyright (c) 2010-2016, Michael Bostock
All rights reserved.

Redistribution and use in source and binary forms, with or without
modification, are permitted provided that the following conditions are met:

* Redistributions of source code must retain the above copyright notice, this
  list of conditions and the following disclaimer.

* Redistributions in binary form must reproduce the above copyright notice,
  this list of conditions and the following disclaimer in the documentation
  and/or other materials provided with the distribution.

* The name Michael Bostock may not be used to endorse or promote products
  derived from this software without specific prior written permission.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS"
AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE
IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
DISCLAIMED. IN NO EVENT SHALL MICHAEL BOSTOCK BE LIABLE FOR ANY DIRECT,
INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING,
BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE,
DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY
OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING
NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE,
EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
"""


def site(params: Params) -> None:
    """Write ``site/index.html``, the scripts that pages of both languages load, and licences."""
    with replacing(SITE / "index.html") as page:
        shutil.copyfile(REPORT / "index.html", page)
    for name, (package, path) in SCRIPTS.items():
        with as_file(files(package).joinpath(path)) as source, replacing(SITE / name) as script:
            shutil.copyfile(source, script)
    # Plotly and jQuery name theirs in their first line.
    texts = {"d3": D3_LICENCE, "BertViz": _licence("bertviz")}
    with replacing(SITE / "licences.txt") as licences:
        licences.write_text(
            "\n".join(f"{name}\n{'=' * len(name)}\n\n{text}" for name, text in texts.items()),
            encoding="utf-8",
        )


def _licence(package: str) -> str:
    installed = distribution(package)
    for file in installed.files or []:
        if file.name == "LICENSE":
            return file.read_text(encoding="utf-8")
    raise InputError(
        f"{package} {installed.version} is installed without its licence, which every copy of its "
        "scripts needs; install it from a wheel."
    )


if __name__ == "__main__":
    run("site", site)
