"""Which attention maps are typical of a cluster or a family, to be shown."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attention_mixing.capture.text import State

# Maps that are shown of each cluster and each family.
TYPICAL = 3


def typical_maps(
    maps: pd.DataFrame, rows: NDArray[np.float64], states: Sequence[State]
) -> pd.DataFrame:
    """Take the maps nearest to the centre of each cluster and of each family, with attention.

    Only of whole texts, or of their first window, that are captured; of different heads, for one
    head's maps of several texts look much alike.

    ``maps`` has a row a map: ``variant``, ``example_id``, ``window``, ``layer``, ``head``,
    ``tokens``, its ``family`` and its ``cluster``; ``rows`` are their reduced features,
    ``[map, dim]``. Gives, by ``kind`` (``cluster`` or ``family``), ``name`` and ``rank``, the map,
    its ``tokens`` and its ``attention``, row by row.
    """
    examples = pd.concat(
        state.examples[["id", "tokens"]].assign(variant=state.variant) for state in states
    ).rename(columns={"id": "example_id"})
    key = ["variant", "example_id", "tokens"]
    captured = pd.MultiIndex.from_frame(maps[key]).isin(pd.MultiIndex.from_frame(examples[key]))
    candidates = np.flatnonzero(captured & (maps["window"] == 0))
    places, ranked = pd.DataFrame(rows), []
    for kind in ("cluster", "family"):
        centres = places.groupby(maps[kind], observed=True).mean()
        at = maps.iloc[candidates]
        apart = rows[candidates] - centres.loc[at[kind]].to_numpy()
        name, distance = at[kind].astype(str), (apart**2).sum(axis=1)
        ranked.append(at.drop(columns="cluster").assign(kind=kind, name=name, distance=distance))
    order = ["kind", "name", "distance", "variant", "example_id", "layer", "head"]
    table = pd.concat(ranked).sort_values(order).drop_duplicates(["kind", "name", "layer", "head"])
    table["rank"] = table.groupby(["kind", "name"]).cumcount() + 1
    table = table[table["rank"] <= TYPICAL].reset_index(drop=True)
    by_variant = {state.variant: state for state in states}
    tokens, attention = [], []
    for row in table.itertuples():
        text = by_variant[row.variant].text(row.example_id)
        tokens.append(text.shown_tokens["token"].tolist())
        attention.append(text.layer("attention", row.layer - 1)[row.head - 1].ravel())
    columns = ["kind", "name", "rank", "variant", "example_id", "layer", "head"]
    table = table[columns].assign(variant=table["variant"].astype(str))
    return table.assign(tokens=tokens, attention=attention)
