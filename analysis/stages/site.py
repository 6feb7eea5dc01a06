"""Put in front of the two sites what they share: the choice of a language, and Plotly."""

import shutil
from importlib.resources import as_file, files

from analysis.params import Params
from analysis.paths import REPORT, SITE
from analysis.stages.runner import replacing, run


def site(params: Params) -> None:
    """Write ``site/index.html``, and ``site/plotly.min.js`` for the maps of every page."""
    with replacing(SITE / "index.html") as page:
        shutil.copyfile(REPORT / "index.html", page)
    bundled = files("plotly") / "package_data" / "plotly.min.js"
    with as_file(bundled) as source, replacing(SITE / "plotly.min.js") as script:
        shutil.copyfile(source, script)


if __name__ == "__main__":
    run("site", site)
