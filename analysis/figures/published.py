"""Values as papers print them, to stand beside ours."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PublishedCurve:
    """Correlations of one method over the layers, as a paper prints them."""

    reference: str
    method: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class PublishedOrder:
    """A paper's ranking of methods by one measure, best first.

    Attributes
    ----------
    statement
        Key of the words.
    reference
        As a reader would name it.
    measure, methods
        What corresponds to it here.
    values
        As printed, in the order of ``methods``.
    layer
        1-based layer the values speak of; None for the whole model.
    """

    statement: str
    reference: str
    measure: str
    methods: tuple[str, ...]
    values: tuple[float, ...]
    layer: int | None = None


_ABNAR = "Abnar & Zuidema (2020)"
# Verb number, 6 layers, 2,000 texts: tables 1 (blank-out) and 2 (input gradients).
PUBLISHED_CURVES = (
    PublishedCurve("blank_out", "raw", (0.69, 0.10, -0.11, -0.09, 0.20, 0.29)),
    PublishedCurve("blank_out", "rollout", (0.32, 0.38, 0.51, 0.62, 0.70, 0.71)),
    PublishedCurve("blank_out", "flow", (0.32, 0.44, 0.70, 0.70, 0.71, 0.70)),
    PublishedCurve("input_gradient", "raw", (0.53, 0.16, -0.06, 0.00, 0.24, 0.46)),
    PublishedCurve("input_gradient", "rollout", (0.22, 0.27, 0.39, 0.47, 0.53, 0.54)),
    PublishedCurve("input_gradient", "flow", (0.22, 0.31, 0.54, 0.61, 0.60, 0.61)),
)
_ALTI = "Ferrando et al. (2022)"
_GLOBENC = "Modarressi et al. (2022)"
PUBLISHED_ORDERS = (
    PublishedOrder("late_rollout", _ABNAR, "blank_out", ("rollout", "raw"), (0.13, 0.08), 5),
    PublishedOrder(
        "vectors_help",
        _GLOBENC,
        "gradient",
        ("globenc_rollout", "attnres_n_rollout", "attn_n_rollout", "attn_w_rollout"),
        (0.77, 0.73, 0.44, -0.11),
    ),
    PublishedOrder(
        "measured_helps", _GLOBENC, "gradient", ("rollout_measured", "rollout"), (0.19, -0.24)
    ),
    PublishedOrder(
        "alti_comprehensive",
        _ALTI,
        "comprehensiveness",
        ("alti_rollout", "rollout"),
        (0.332, 0.152),
    ),
    PublishedOrder(
        "alti_sufficient", _ALTI, "sufficiency", ("alti_rollout", "rollout"), (0.034, 0.147)
    ),
)

# AttentionViz: means over heads of BERT and of GPT-2, after its normalisation.
PUBLISHED_CORRELATION = {"BERT": -0.938, "GPT-2": -0.792}
# Mean length of queries less that of keys.
PUBLISHED_NORM_DIFFERENCE = {"BERT": 0.41, "GPT-2": -4.59}


@dataclass(frozen=True)
class PublishedScores:
    """Exact match and F1 of SQuAD 2.0 in percent, as the official scorer prints them.

    Attributes
    ----------
    answerable, unanswerable, total
        Exact match and F1.
    questions
        How many are answerable and unanswerable.
    """

    answerable: tuple[float, float]
    unanswerable: tuple[float, float]
    total: tuple[float, float]
    questions: tuple[int, int]


# A BERT-base fine-tuned on SQuAD 2.0, and what was made of its attention maps: seed 003.
PUBLISHED_SCORES = PublishedScores(
    answerable=(71.42375168690958, 78.10126328793105),
    unanswerable=(74.48275862068965, 74.48275862068965),
    total=(72.95544512760044, 76.28942043046025),
    questions=(5_928, 5_945),
)
# Windows of the questions and heads of the model: nearly 19 million maps, where the text says 18.
PUBLISHED_WINDOWS, PUBLISHED_HEADS = 131_944, 144
# Shares of the variance, as listed; the text says that they are less than this together.
PUBLISHED_COMPONENTS = (0.229, 0.044, 0.031, 0.020, 0.013, 0.013, 0.010)
PUBLISHED_COMPONENTS_BELOW = 0.30
# Number of clusters -> distortion of k-means on features of the maps' images.
PUBLISHED_DISTORTIONS = {5: 0.673, 55: 0.617}
# Clark et al. (2019), BERT-base: heads that give more than half of their attention to the token
# before and to the one after; layers in which more than half goes to [SEP]; what [SEP] gives to
# [SEP] there; entropy of the [CLS] row in the last layer, in nats.
PUBLISHED_NEIGHBOURS = {"previous": 4, "next": 5}
PUBLISHED_SINK, PUBLISHED_SINK_LAYERS = 0.5, (6, 10)
PUBLISHED_SEP_TO_SEP = 0.9
PUBLISHED_CLS_ENTROPY = 3.89
# Kovaleva et al. (2019), BERT-base on tasks of GLUE: share of heterogeneous maps; points of score
# that disabling one head gains at most.
PUBLISHED_HETEROGENEOUS = (0.32, 0.61)
PUBLISHED_GAIN = 0.012
