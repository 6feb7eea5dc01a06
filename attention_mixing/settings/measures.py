"""What is measured, and how: a section a subject."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import Field, model_validator

from attention_mixing.settings.sources import HubModel, LocalModel
from attention_mixing.settings.values import (
    Count,
    Distinct,
    Fraction,
    Increasing,
    Index,
    Section,
    Seed,
    Share,
    Text,
)

__all__ = [
    "Ablation",
    "Bootstrap",
    "Clusters",
    "DependenceSettings",
    "Faithfulness",
    "Geometry",
    "HeadSettings",
    "Projection",
    "Propagation",
]

HOG_CELLS = 4  # a side of an image, as attention_mixing.methods.head_images divides it


class Propagation(Section):
    """Raw attention, residual, rollout, flow, and zeroed values."""

    residual: Fraction
    start_layer: Index
    flow_sources: Count | None
    value_zeroing: Count | None


class DependenceSettings(Section):
    """What vectors depend on, measured by replacing every token of some texts."""

    texts: Count | None
    draws: Count
    seed: Seed


class Projection(Section):
    """Two-dimensional maps: UMAP, t-SNE and PCA of the vectors of a few texts together."""

    points: Literal["seed38", "all62"]
    examples: Annotated[tuple[Index, ...], Distinct] = Field(min_length=1, strict=False)
    seeds: Annotated[tuple[Seed, ...], Distinct] = Field(min_length=2, strict=False)
    metric: Literal["euclidean", "manhattan", "cosine", "correlation", "chebyshev", "canberra"]
    neighbors: Annotated[Count, Field(ge=2)]
    min_dist: Fraction
    perplexity: Annotated[float, Field(ge=1)]


class Pair(Section):
    """A word and those that its query may attend to, drawn in a colour of their own."""

    query: Text
    keys: tuple[Text, ...] = Field(min_length=1, strict=False)


class Geometry(Section):
    """Queries and keys in one space, as AttentionViz draws them."""

    texts: Count | Annotated[tuple[Index, ...], Distinct, Field(min_length=1, strict=False)]
    metric: Literal["euclidean", "cosine"]
    nonlinear: Literal["all"] | Annotated[tuple[str, ...], Field(strict=False)]
    lines: Count
    pair: Pair


# How a token is taken from a text: it goes, or [MASK] or the unknown token takes its place.
Removal = Literal["delete", "mask", "unknown"]
REMOVALS: tuple[Removal, ...] = get_args(Removal)


class Faithfulness(Section):
    """Which attributions explain the classifier: gradients, removed tokens, planted evidence."""

    examples: Count
    steps: Annotated[Count, Field(ge=2)]
    removal: Removal
    effect: Annotated[float, Field(ge=0, le=1)]
    fractions: Annotated[tuple[Share, ...], Increasing] = Field(min_length=1, strict=False)
    batch_size: Count
    seed: Seed


class HeadSettings(Section):
    """What every head attends to: descriptors of every map, and features of maps as images."""

    examples: Count | None
    batch_size: Count
    images: Literal["none", "hog"] | Annotated[HubModel | LocalModel, Field(discriminator="source")]
    side: Annotated[Count, Field(ge=8, le=1024)]

    @model_validator(mode="after")
    def _divisible(self) -> HeadSettings:
        if self.images == "hog" and self.side % HOG_CELLS:
            raise ValueError(
                f"has images hog and side {self.side}, which does not divide into {HOG_CELLS} x "
                f"{HOG_CELLS} cells; give a multiple of {HOG_CELLS}"
            )
        return self


class Clusters(Section):
    """Clusters of attention maps, and how good they are."""

    features: Literal["descriptors", "images"]
    ks: Annotated[tuple[Count, ...], Increasing] = Field(min_length=3, strict=False)
    k: Annotated[Count, Field(ge=2)]
    smallest: Annotated[Count, Field(ge=2)]
    components: Annotated[Count, Field(ge=2)]
    sample: Annotated[Count, Field(ge=10)]
    resamples: Count
    references: Annotated[Count, Field(ge=19)]
    engine: Literal["auto", "scikit-learn", "cuml"]
    seed: Seed

    @model_validator(mode="after")
    def _shown(self) -> Clusters:
        faults = []
        if self.k not in self.ks:
            faults.append(f"has k {self.k}, which is not among ks {list(self.ks)}; add it there")
        if self.sample < self.ks[-1]:
            faults.append(
                f"asks for {self.ks[-1]} clusters of a sample of {self.sample} maps; raise sample"
            )
        if faults:
            raise ValueError(*faults)
        return self


class Ablation(Section):
    """What disabling each head does to the score."""

    examples: Count | None
    batch_size: Count


class Bootstrap(Section):
    """Confidence intervals by resampling texts."""

    resamples: Annotated[Count, Field(ge=100)]
    confidence: Annotated[float, Field(gt=0, lt=1)]
    seed: Seed
