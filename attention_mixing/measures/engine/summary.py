"""From values of texts to what everybody reads: means over texts and seeds, with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attention_mixing.measures.engine.cube import KEY, Cube, by_text, of_all
from attention_mixing.measures.engine.definition import Ends, Measure
from attention_mixing.methods.bootstrap import mean_interval, paired_difference
from attention_mixing.settings.measures import Bootstrap

NUMBERS = ["mean", "low", "high", "texts", "seeds", "smallest", "largest"]
COLUMNS = [*KEY, "minus", *NUMBERS, "p", "by_seed"]
UNKNOWN = (np.nan, np.nan)  # ends of a range of which nothing is said


def summarise(
    values: Sequence[pd.DataFrame],
    measures: Sequence[Measure],
    bootstrap: Bootstrap,
) -> pd.DataFrame:
    """Summarise the values of one experiment, a row a curve's point or contrast.

    Parameters
    ----------
    values
        Of the model of each seed, as :func:`.runner.run` writes them.
    measures
        That gave them.
    bootstrap
        How texts are resampled. All values of a measure see the same resamples, and of as many
        texts all measures do.

    Returns
    -------
    DataFrame
        ``KEY``; ``mean`` over the texts for which the value is defined, ``texts`` of them, and over
        ``seeds``, with ``low`` and ``high`` of its interval, the ``smallest`` and ``largest`` value
        of a text; ``by_seed`` are the means of the seeds, if there are several. What
        is measured of heads has rows of their mean, head 0; what is measured of layers, rows of
        theirs, layer -1: of each text first, so that these have intervals too. ``minus`` names what
        is subtracted, text by text, in a contrast, which has a ``p``. What is of all texts together
        has no interval and counts 0 texts. What is of the pretrained model
        alone was measured with the first seed, and counts 1.
    """
    return summarise_cubes(by_text(values), of_all(values), measures, bootstrap)


def summarise_cubes(
    of_texts: Cube, together: Cube, measures: Sequence[Measure], bootstrap: Bootstrap
) -> pd.DataFrame:
    """Summarise values that are laid out already, as :func:`summarise` does.

    ``of_texts`` are those of texts (:func:`.cube.by_text`), ``together`` those of all texts
    together (:func:`.cube.of_all`).
    """
    frames = []
    for measure in measures:
        whole, cube = together.of(measure.name), of_texts.of(measure.name)
        if len(whole.keys):
            frames.append(_of_all(whole))
        if not len(cube.keys):
            continue
        ranges = saturating([measure])
        ends = [ranges.get(quantity, UNKNOWN) for quantity in cube.keys["quantity"]]
        within = np.array(ends, np.float64).T
        intervals = mean_interval(cube.values, **bootstrap.model_dump(), within=within)._asdict()
        with np.errstate(invalid="ignore"):  # nowhere defined
            extremes = (f.reduce(f.reduce(cube.values)) for f in (np.fmin, np.fmax))
        intervals |= dict(zip(("smallest", "largest"), extremes, strict=True))
        frames.append(cube.keys[KEY].assign(**intervals, minus="", **_by_seed(cube.values)))
        for facet, others in measure.contrasts.items():
            frames += [_contrast(cube, facet, other, bootstrap) for other in others]
    if not frames:
        return pd.DataFrame(columns=COLUMNS)
    return pd.concat(frames, ignore_index=True).reindex(columns=COLUMNS)


def saturating(measures: Iterable[Measure]) -> dict[str, Ends]:
    """Ranges of the quantities of which all texts of a sample may have an end by chance."""
    declared = (quantity for measure in measures for quantity in measure.declared)
    return {
        declaration.quantity: declaration.range for declaration in declared if declaration.saturates
    }


def _of_all(cube: Cube) -> pd.DataFrame:
    """Means over seeds of what is of all texts together."""
    mean = pd.DataFrame(cube.values[:, 0]).mean().to_numpy()
    return cube.keys[KEY].assign(mean=mean, texts=0, minus="", **_by_seed(cube.values))


def _by_seed(cube: NDArray[np.float64]) -> dict[str, Any]:
    """Count the seeds of every key, and list their means where there are several."""
    means = np.stack([pd.DataFrame(of_texts).mean() for of_texts in cube])
    seeds = (~np.isnan(means)).sum(axis=0)
    lists = [
        list(by_seed) if several > 1 else []
        for by_seed, several in zip(means.T, seeds, strict=True)
    ]
    return {"seeds": seeds, "by_seed": lists}


def _contrast(cube: Cube, facet: str, other: str, bootstrap: Bootstrap) -> pd.DataFrame:
    """Differences of all methods to one, on the same texts, where both are measured alike."""
    rest = [column for column in KEY if column != "subject"]
    keys = cube.keys[cube.keys["facet"] == facet]
    against = keys[keys["subject"] == other].reset_index(names="column")[[*rest, "column"]]
    pairs = keys.reset_index(names="own").merge(against, on=rest).query("subject != @other")
    values, subtracted = cube.values[:, :, pairs["own"]], cube.values[:, :, pairs["column"]]
    difference = paired_difference(values, subtracted, **bootstrap.model_dump())._asdict()
    table = pairs[KEY].reset_index(drop=True).assign(**difference, minus=other)
    return table.assign(**_by_seed(values - subtracted))
