"""From features of every attention map to heads, layers and intervals over texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from numpy.typing import NDArray

from analysis.methods.bootstrap import percentile_interval, resampled_means
from analysis.methods.head_families import FAMILIES, POSITION_SHARE, ROLES, family, roles
from analysis.methods.heads import DESCRIPTORS
from analysis.params import Bootstrap
from analysis.paths import result
from analysis.stages.runner import replacing, write_json
from analysis.stages.summaries import curves, nested

Floats = NDArray[np.float64]

BESIDE = ("cls_entropy", "sep_to_sep")  # what is measured of maps beside the descriptors
ATTENDED = (
    "relative_entropy",
    "cls_entropy",
    "cls",
    "sep",
    "special",
    "punctuation",
    "previous",
    "self",
    "next",
    "distance",
    "sep_to_sep",
)
# A sink is one of these.
SINKS = ("cls", "sep", "special", "punctuation")
POSITIONS = ("previous", "self", "next")


class Maps:
    """Features of the maps of one variant, ``artifacts/E/heads/VARIANT.parquet``.

    One column is in memory at a time.

    Attributes
    ----------
    texts
        ``[text]``, their ids.
    layers, heads, windows
        How many there are.
    """

    def __init__(self, path: Path) -> None:
        self._file = pq.ParquetFile(path)
        self.layers, self.heads = (int(self._column(n).max()) for n in ("layer", "head"))
        # Rows are sorted: those of a window, and the windows of a text, are next to each other.
        ids = self._column("example_id")[:: self.layers * self.heads]
        self._starts = np.flatnonzero(np.diff(ids, prepend=ids[0] - 1))
        self.texts, self.windows = ids[self._starts], len(ids)
        self._count = np.diff(self._starts, append=len(ids))[:, None, None]

    def mean(self, column: str) -> Floats:
        """Mean over the windows of each text, ``[text, layer, head]``."""
        return self._over_windows(self._column(column).astype(np.float64))

    def families(self) -> dict[str, Floats]:
        """Share of the windows of each text in which a map is of each family."""
        found = self._column("family")
        return {name: self._over_windows((found == name).astype(np.float64)) for name in FAMILIES}

    def _over_windows(self, values: NDArray) -> Floats:
        by_window = values.reshape(-1, self.layers, self.heads)
        return np.add.reduceat(by_window, self._starts) / self._count

    def _column(self, name: str) -> Any:
        return self._file.read(columns=[name])[name].to_pandas().array


class Heads:
    """What the heads of one variant do over all texts, and over each resample of them.

    Attributes
    ----------
    means
        ``[layer, head, descriptor]``.
    resampled
        The same of each resample, ``[resample, layer, head, descriptor]``.
    table
        A row a head, as in ``results/E/heads.parquet``.
    by_layer
        A row a text and layer: means over its heads, and shares of families.
    """

    def __init__(self, variant: str, maps: Maps, bootstrap: Bootstrap) -> None:
        drawn: list[Floats] = []
        of_heads: dict[str, NDArray[Any]] = {}
        of_layers: dict[str, Floats] = {}
        for column in (*DESCRIPTORS, *BESIDE):
            values = maps.mean(column)
            of_heads[column], of_layers[column] = values.mean(axis=0), values.mean(axis=-1)
            if column in DESCRIPTORS:
                options = {"resamples": bootstrap.resamples, "seed": bootstrap.seed}
                drawn.append(resampled_means(values, **options))
        self.means = np.stack([of_heads[column] for column in DESCRIPTORS], axis=-1)
        self.resampled = np.stack(drawn, axis=-1)
        of_heads["family"] = family(self.means)
        of_heads |= {
            f"role_{role}": has
            for role, has in zip(ROLES, np.moveaxis(roles(self.means), -1, 0), strict=True)
        }
        for name, shares in maps.families().items():
            of_heads[f"share_{name}"] = shares.mean(axis=0)
            of_layers[name] = shares.mean(axis=-1)
        layer, head = np.indices((maps.layers, maps.heads)).reshape(2, -1) + 1
        columns = {name: x.reshape(-1) for name, x in of_heads.items()}
        self.table = pd.DataFrame({"variant": variant, "layer": layer, "head": head, **columns})
        text, layer = np.indices((len(maps.texts), maps.layers)).reshape(2, -1)
        ids = {"variant": variant, "example_id": maps.texts[text], "layer": layer + 1}
        self.by_layer = pd.DataFrame(ids | {name: x.reshape(-1) for name, x in of_layers.items()})


def summarise(
    name: str,
    paths: dict[str, Path],
    thumbnails: dict[str, NDArray[np.float32]],
    facts: dict[str, Any],
    bootstrap: Bootstrap,
) -> None:
    """Write what the stage reports of the maps of each variant.

    Counts of heads have the interval of the same count over resampled texts. Near a threshold a
    resample may fall on one side more often than all texts together do, so that a count need not
    lie in the middle of its interval.

    Parameters
    ----------
    name
        Of the experiment.
    paths
        Tables of maps, by variant.
    thumbnails
        ``[layer, head, pixel]``, by variant.
    facts
        What the summary says of texts and images.
    bootstrap
        How to resample.
    """
    maps = {variant: Maps(path) for variant, path in paths.items()}
    found = {variant: Heads(variant, each, bootstrap) for variant, each in maps.items()}
    size = next(iter(maps.values()))
    by_layer = pd.concat([each.by_layer for each in found.values()])
    settings: dict[str, Any] = {"keys": ["variant"], "bootstrap": bootstrap}
    attended = curves(by_layer, measures=ATTENDED, **settings)
    families = curves(by_layer, measures=FAMILIES, **settings).rename(columns={"measure": "family"})
    tables = [
        each.table.assign(thumbnail=list(thumbnails[variant].reshape(size.layers * size.heads, -1)))
        for variant, each in found.items()
    ]
    with replacing(result(name, "heads.parquet")) as path:
        pd.concat(tables).to_parquet(path, index=False)
    for file, content in (("attended", attended), ("families", families)):
        with replacing(result(name, "plots", f"{file}.csv")) as path:
            content.to_csv(path, index=False, float_format="%.6g")

    in_layers = nested(by_layer, measures=(*ATTENDED, *FAMILIES), **settings)
    summary: dict[str, Any] = facts | {
        "layers": size.layers,
        "heads": size.layers * size.heads,
        "maps": size.windows * size.layers * size.heads,
    }
    for variant, each in found.items():
        summary[variant] = {
            "families": _families(each, in_layers[variant], bootstrap.confidence),
            "roles": _roles(each, bootstrap.confidence),
            "positions": _positions(each, bootstrap.confidence),
            "sinks": _sinks(attended[attended["variant"] == variant]),
            "attended": {measure: in_layers[variant][measure] for measure in ATTENDED},
        }
    summary["change"] = None
    if "finetuned" in found:
        both = found["pretrained"], found["finetuned"]
        summary["change"] = _change(*both, bootstrap.confidence)
    write_json(result(name, "summaries", "heads.json"), summary)
    write_json(result(name, "metrics", "heads.json"), _headlines(summary, list(found)))


def _share(
    actual: NDArray[np.bool_], resampled: NDArray[np.bool_], confidence: float
) -> dict[str, Any]:
    """How many heads, ``[layer, head]``, and which share of all, with its interval."""
    low, high = percentile_interval(resampled.mean(axis=(1, 2)), confidence=confidence)
    return {
        "count": int(actual.sum()),
        "share": float(actual.mean()),
        "low": float(low),
        "high": float(high),
    }


def _families(heads: Heads, in_layers: dict[str, Any], confidence: float) -> dict[str, Any]:
    """Heads of each family by their means, and maps of each family."""
    actual, resampled = family(heads.means), family(heads.resampled)
    return {
        name: {
            "heads": _share(actual == name, resampled == name, confidence),
            "maps": {
                "share": in_layers[name]["mean"],
                "low": in_layers[name]["mean_low"],
                "high": in_layers[name]["mean_high"],
            },
        }
        for name in FAMILIES
    }


def _roles(heads: Heads, confidence: float) -> dict[str, Any]:
    actual, resampled = roles(heads.means), roles(heads.resampled)
    return {
        role: _share(actual[..., which], resampled[..., which], confidence)
        for which, role in enumerate(ROLES)
    }


def _positions(heads: Heads, confidence: float) -> dict[str, Any]:
    """Heads that give more than half to the token before, to itself, or to the one after."""
    summary = {}
    for position in POSITIONS:
        which = DESCRIPTORS.index(position)
        share = heads.means[..., which]
        layer, head = np.unravel_index(share.argmax(), share.shape)
        summary[position] = {
            "heads": _share(
                share > POSITION_SHARE, heads.resampled[..., which] > POSITION_SHARE, confidence
            ),
            "strongest": {
                "layer": int(layer) + 1,
                "head": int(head) + 1,
                "share": float(share[layer, head]),
            },
        }
    return summary


def _sinks(attended: pd.DataFrame) -> list[dict[str, Any]]:
    """Of each layer the kind of token that draws most attention."""
    among = attended[attended["measure"].isin(SINKS)].reset_index(drop=True)
    most = among.loc[among.groupby("layer")["mean"].idxmax()]
    return [
        {
            "layer": int(row.layer),
            "sink": row.measure,
            "share": float(row.mean),
            "low": float(row.low),
            "high": float(row.high),
        }
        for row in most.itertuples(index=False)
    ]


def _change(before: Heads, after: Heads, confidence: float) -> dict[str, Any]:
    """Heads that are of another family after fine-tuning, and from which to which."""
    old, new = family(before.means), family(after.means)
    # The same texts were drawn for both.
    resampled = family(before.resampled) != family(after.resampled)
    moves = [
        {"from": one, "to": other, "heads": int(((old == one) & (new == other)).sum())}
        for one in FAMILIES
        for other in FAMILIES
        if one != other
    ]
    return {
        "heads": _share(old != new, resampled, confidence),
        "moves": [move for move in moves if move["heads"]],
    }


def _headlines(summary: dict[str, Any], variants: list[str]) -> dict[str, Any]:
    metrics: dict[str, Any] = {
        key: summary[key] for key in ("texts", "windows", "too_short", "maps", "heads")
    }
    for variant in variants:
        found = summary[variant]
        mixed = found["families"]["heterogeneous"]
        metrics[variant] = {
            "heterogeneous_heads": mixed["heads"]["share"],
            "heterogeneous_maps": mixed["maps"]["share"],
            **{f"{p}_heads": found["positions"][p]["heads"]["count"] for p in POSITIONS},
            "sep_to_sep": found["attended"]["sep_to_sep"]["mean"],
            "last_relative_entropy": found["attended"]["relative_entropy"]["last"],
        }
    if summary["change"]:
        metrics["changed_family"] = summary["change"]["heads"]["share"]
    return metrics
