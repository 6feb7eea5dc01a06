"""Put the page that chooses a language in front of the two sites."""

import shutil

from analysis.params import Params
from analysis.paths import REPORT, SITE
from analysis.stages.runner import replacing, run


def site(params: Params) -> None:
    """Write ``site/index.html``."""
    with replacing(SITE / "index.html") as page:
        shutil.copyfile(REPORT / "index.html", page)


if __name__ == "__main__":
    run("site", site)
