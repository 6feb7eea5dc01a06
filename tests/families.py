"""Small models of families that no line of the project names, and what they are made of."""

import numpy as np
import torch
import transformers

from attention_mixing.models.encode import Encoded
from attention_mixing.models.passes import LayerPass, read_passes
from attention_mixing.models.structure import Structure

WORDS = 120
IDS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
PLAIN = IDS | {
    "vocab_size": WORDS,
    "hidden_size": 48,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 96,
    "max_position_embeddings": 64,
}
GROUPED = PLAIN | {"num_key_value_heads": 2}
WIDE = GROUPED | {"head_dim": 16}
EXPERTS = {"num_local_experts": 2, "num_experts_per_tok": 1}
TWO = IDS | {
    "vocab_size": WORDS,
    "d_model": 48,
    "encoder_layers": 3,
    "decoder_layers": 3,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 96,
    "decoder_ffn_dim": 96,
    "max_position_embeddings": 64,
    "decoder_start_token_id": 1,
}
T5 = {"vocab_size": WORDS, "d_model": 48, "d_kv": 12, "d_ff": 96, "num_layers": 3, "num_heads": 4}

# Rotations of other lengths for texts of more than 16 tokens, padding included.
LONG_CONTEXT = PLAIN | {
    "rope_parameters": {
        **{"rope_type": "longrope", "rope_theta": 10000.0, "factor": 4.0},
        **{"short_factor": [1.0] * 6, "long_factor": [4.0] * 6},
        "original_max_position_embeddings": 16,
    },
    "original_max_position_embeddings": 16,
}

# Family -> its settings, and the steps of its last layer: A for attention, F for a feed-forward
# network; < normalised before, ~ what is added is normalised, > the sum is, | beside the former,
# . with a normalisation between heads and projection, ^ with a gate there.
FAMILIES = {
    "bert": (PLAIN, "A> F>"),
    "roberta": (PLAIN, "A> F>"),
    "electra": (PLAIN | {"embedding_size": 24}, "A> F>"),
    "albert": (PLAIN | {"embedding_size": 24}, "A> F>"),
    "ernie": (PLAIN, "A> F>"),
    "data2vec-text": (PLAIN, "A> F>"),
    "nomic_bert": (PLAIN, "A> F>"),
    "modernbert": (PLAIN, "<A <F"),
    "eurobert": (GROUPED, "<A <F"),
    "gpt2": ({"vocab_size": WORDS, "n_embd": 48, "n_layer": 3, "n_head": 4}, "<A <F"),
    "opt": (PLAIN | {"ffn_dim": 96, "word_embed_proj_dim": 48}, "<A <F"),
    "gpt_neox": (PLAIN, "<A <F|"),
    "phi": (PLAIN, "<A <F|"),
    "phi3": (LONG_CONTEXT, "<A <F"),
    "cohere": (GROUPED, "<A <F|"),
    "llama": (GROUPED, "<A <F"),
    "mistral": (GROUPED | {"sliding_window": 4}, "<A <F"),
    "qwen3": (WIDE, "<A <F"),
    "olmo2": (GROUPED, "A~ F~"),
    "gemma2": (WIDE, "<A~ <F~"),
    "glm4": (WIDE, "<A~ <F~"),
    "granite": (GROUPED | {"residual_multiplier": 0.3}, "<A*0.3 <F*0.3"),
    "mixtral": (GROUPED | EXPERTS, "<A <F"),
    "llama4_text": (
        WIDE | EXPERTS | {"intermediate_size_mlp": 96, "moe_layers": [1, 2]},
        "<A <F",
    ),
    "deepseek_v3": (
        GROUPED
        | {"q_lora_rank": None, "kv_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8}
        | {"v_head_dim": 12, "n_routed_experts": 4, "n_group": 1, "topk_group": 1}
        | {"num_experts_per_tok": 1, "first_k_dense_replace": 1, "moe_intermediate_size": 32}
        | {"num_key_value_heads": 4},
        "<A <F",
    ),
    "gpt_oss": (WIDE | EXPERTS, "<A <F"),
    "bitnet": (GROUPED, "<A. <F"),
    "laguna": (WIDE | {"num_experts": 2, "num_experts_per_tok": 1}, "<A^ <F"),
    "afmoe": (
        WIDE
        | {"num_dense_layers": 1, "num_shared_experts": 1, "moe_intermediate_size": 32}
        | {"num_experts": 2, "num_experts_per_tok": 1},
        "<A^~ <F~",
    ),
    "granite_swa": (GROUPED, "<A <F"),
    **dict.fromkeys(("t5", "mt5", "umt5"), (T5 | {"decoder_start_token_id": 0}, "<A <A <F")),
    "switch_transformers": (
        T5 | {"decoder_start_token_id": 0, "num_experts": 2, "num_decoder_layers": 3},
        "<A <A <F",
    ),
    **dict.fromkeys(("bart", "marian"), (TWO, "A> A> F>")),
    **dict.fromkeys(("mbart", "pegasus", "blenderbot", "m2m_100"), (TWO, "<A <A <F")),
}


# Families of language models that are put together as some of these, but for what is behind.
MORE = {
    "cohere2": GROUPED,
    "granitemoe": GROUPED | EXPERTS,
    "qwen2_moe": GROUPED
    | {"num_experts": 2, "num_experts_per_tok": 1, "moe_intermediate_size": 32}
    | {"shared_expert_intermediate_size": 32},
}


def build(family, head="", **more):
    """A small model of a family, of which no tensor is like any other."""
    torch.manual_seed(0)
    settings = MORE[family] if family in MORE else FAMILIES[family][0]
    config = transformers.AutoConfig.for_model(family, **(settings | more))
    model = getattr(transformers, f"AutoModel{head}").from_config(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.05 * torch.randn_like(parameter))
    return model


def given(model, source, target):
    torch.manual_seed(source)
    ids = {"input_ids": torch.randint(3, WORDS, (1, source))}
    if model.config.is_encoder_decoder:
        ids["decoder_input_ids"] = torch.randint(3, WORDS, (1, target))
    return ids


def reading(tokens, seed=0):
    """A text of so many tokens, drawn at random."""
    ids = np.random.default_rng(seed).integers(3, WORDS, tokens).tolist()
    nothing = [False] * tokens
    return Encoded(ids, [0] * tokens, [""] * tokens, [(0, 0)] * tokens, nothing, truncated=False)


def relative(ours, theirs) -> float:
    # Of arrays that cannot be written to, a copy.
    ours, theirs = (
        each if isinstance(each, torch.Tensor) else torch.tensor(each) for each in (ours, theirs)
    )
    return float((ours - theirs).abs().max() / theirs.abs().max())


def layers_of_pass(model) -> tuple[Structure, list[LayerPass], np.ndarray]:
    """What every layer does in one pass, and the ids of the text."""
    arguments = given(model, 11, 6)
    with torch.inference_mode(), read_passes(model) as found:
        model(**arguments)
        return found.structure, list(found.layers()), arguments["input_ids"][0].numpy()
