"""Where the parts of each known encoder are: module paths below its base model.

One table serves the hooks of a running model (``analysis.capture.points``) and the reading of
single weights from files (``analysis.models.weights``); it needs no torch.
"""

from __future__ import annotations

from dataclasses import dataclass

from analysis.errors import InputError


@dataclass(frozen=True)
class Architecture:
    """Module paths below the base model; ``{}`` stands for the layer, counted from 0.

    Attributes
    ----------
    word, embedding
        Word embedding; the whole embedding, position, type and layer normalisation included.
    query, key, value
        Projections into the heads of the attention.
    attention_output
        Output projection of the attention.
    attention_norm
        Layer normalisation after the attention's residual.
    attention_block
        Module whose output is that of ``attention_norm``.
    ffn_input, ffn_output
        First and second linear layer of the feed-forward block.
    ffn_norm
        Layer normalisation after the feed-forward block's residual.
    layer_output
        Module whose output is that of ``ffn_norm``.
    """

    word: str
    embedding: str
    query: str
    key: str
    value: str
    attention_output: str
    attention_norm: str
    attention_block: str
    ffn_input: str
    ffn_output: str
    ffn_norm: str
    layer_output: str


_BERT = Architecture(
    word="embeddings.word_embeddings",
    embedding="embeddings",
    query="encoder.layer.{}.attention.self.query",
    key="encoder.layer.{}.attention.self.key",
    value="encoder.layer.{}.attention.self.value",
    attention_output="encoder.layer.{}.attention.output.dense",
    attention_norm="encoder.layer.{}.attention.output.LayerNorm",
    attention_block="encoder.layer.{}.attention.output",
    ffn_input="encoder.layer.{}.intermediate.dense",
    ffn_output="encoder.layer.{}.output.dense",
    ffn_norm="encoder.layer.{}.output.LayerNorm",
    layer_output="encoder.layer.{}",
)
_DISTILBERT = Architecture(
    word="embeddings.word_embeddings",
    embedding="embeddings",
    query="transformer.layer.{}.attention.q_lin",
    key="transformer.layer.{}.attention.k_lin",
    value="transformer.layer.{}.attention.v_lin",
    attention_output="transformer.layer.{}.attention.out_lin",
    attention_norm="transformer.layer.{}.sa_layer_norm",
    attention_block="transformer.layer.{}.sa_layer_norm",
    ffn_input="transformer.layer.{}.ffn.lin1",
    ffn_output="transformer.layer.{}.ffn.lin2",
    ffn_norm="transformer.layer.{}.output_layer_norm",
    layer_output="transformer.layer.{}",
)
# ELECTRA is left out: it projects between embedding and encoder, so the embedding point would have
# another width.
ARCHITECTURES = {
    "bert": _BERT,
    "roberta": _BERT,
    "xlm-roberta": _BERT,
    "camembert": _BERT,
    "distilbert": _DISTILBERT,
}


def architecture(model_type: str) -> Architecture:
    """Look up the architecture that a model's configuration names.

    Raises
    ------
    InputError
        If it is not in the table.
    """
    if model_type not in ARCHITECTURES:
        raise InputError(
            f"the model is a {model_type}, whose feature points are not known; allowed: "
            f"{', '.join(ARCHITECTURES)}; choose such a model."
        )
    return ARCHITECTURES[model_type]
