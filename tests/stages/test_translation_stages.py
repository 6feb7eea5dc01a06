"""Encoder-decoders that learn targets through the stages, of several families."""

from contextlib import chdir
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import tiny_experiment as tiny
import torch
from transformers import AutoModelForSeq2SeqLM

from analysis.checks.runnable import try_out
from analysis.parameters import Params
from attention_mixing.artifacts import read_artifact
from attention_mixing.capture.store import Capture, axes, captures, predicted_bytes
from attention_mixing.capture.text import State
from attention_mixing.errors import InputError
from attention_mixing.measures.two_streams import followed
from attention_mixing.settings.experiment import Experiment

pytestmark = pytest.mark.slow

EXPERIMENT = "translation"
WIDE = {"d_model": 32, "vocab_size": 300}
T5 = WIDE | {"d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4}
BART = WIDE | {
    **{f"{part}_layers": 2 for part in ("encoder", "decoder")},
    **{f"{part}_attention_heads": 4 for part in ("encoder", "decoder")},
    **{f"{part}_ffn_dim": 48 for part in ("encoder", "decoder")},
    "max_position_embeddings": 64,
}
FAMILIES = {"t5": T5, "bart": BART, "marian": BART, "pegasus": BART}


def parameters(family: str = "bart", **changes) -> Params:
    translation = tiny.committed()["experiments"][EXPERIMENT]
    config = {key: one for key, one in FAMILIES[family].items() if key != "vocab_size"}
    translation["model"] |= {"type": family, "config": config}
    return tiny.learning(EXPERIMENT, translation, **changes)


@pytest.fixture(scope="module", params=FAMILIES)
def finished(request, tmp_path_factory) -> Path:
    directory = tmp_path_factory.mktemp(request.param)
    values = parameters(request.param)
    measured = ("vectors", "propagation", "queries-keys", "heads", "gradients", "faithfulness")
    with chdir(directory):
        tiny.run_stages(values, EXPERIMENT, *measured)
    return directory / "artifacts" / EXPERIMENT


@pytest.fixture
def state(finished) -> State:
    captured = captures(finished / "capture", "0")["pretrained"]
    return State("pretrained", captured, finished / "train" / "0" / "model", stream="joint")


def values_of(finished, group: str, stream: str) -> pd.DataFrame:
    return pd.read_parquet(finished / group / "0" / stream / "values.parquet")


def test_streams_are_what_the_model_itself_tells(finished, state):
    """Attention and features of a pass that no line of the project has read."""
    model = AutoModelForSeq2SeqLM.from_pretrained(state.model, attn_implementation="eager")
    for example in state.examples["id"]:
        text = state.text(example)
        encoder, decoder, cross = (text.of(stream) for stream in ("encoder", "decoder", "cross"))
        ids = {
            "input_ids": torch.tensor([encoder.tokens["id"].tolist()]),
            "decoder_input_ids": torch.tensor([decoder.tokens["id"].tolist()]),
        }
        with torch.inference_mode():
            output = model.eval()(**ids, output_attentions=True, output_hidden_states=True)
        for one, theirs in (
            (encoder, output.encoder_attentions),
            (decoder, output.decoder_attentions),
            (cross, output.cross_attentions),
        ):
            expected = torch.cat(theirs).numpy()
            np.testing.assert_allclose(one["attention"], expected, rtol=0, atol=1e-5)
        hidden = torch.cat(output.decoder_hidden_states[:-1]).numpy()
        ours = np.concatenate([decoder["embedding"][None], decoder["layer_output"][:-1]])
        np.testing.assert_allclose(ours, hidden, rtol=0, atol=1e-4 * np.abs(hidden).max())


def test_decoder_reads_what_the_model_is_trained_with(finished, state):
    """The token that it begins with, and the target but for its last token."""
    corpus = pd.read_parquet(finished / "corpus" / "examples.parquet").set_index("id")
    for example in state.examples["id"]:
        tokens = state.text(example).of("decoder").tokens
        target = corpus.loc[example, "target"]
        assert tokens["token"].iloc[0] == "<s>"
        assert [target[one.start : one.end] for one in tokens[1:].itertuples()] == target.split()
        for token in tokens[1:].itertuples():
            assert token.token in (target[token.start : token.end], "<unk>")


def test_each_stream_is_measured_like_a_model_of_one_text(finished):
    for group, measured in {
        "vectors": "mixing",
        "queries-keys": "geometry",
        "heads": "heads",
    }.items():
        for stream in ("encoder", "decoder"):
            values = values_of(finished, group, stream)
            assert measured in set(values["measure"])
            finite = values[~values["quantity"].str.startswith(("special_", "ordinary_"))]
            assert np.isfinite(finite["value"]).mean() > 0.95
        assert measured not in set(values_of(finished, group, "joint")["measure"])


def test_error_rates_are_those_of_the_words_that_the_grammar_knows(finished, state):
    """By sets of pairs, word for word; all words are one token here, a sign among them."""
    values = values_of(finished, "propagation", "joint")
    settings = parameters().propagation
    for example in state.examples["id"]:
        text = state.text(example)
        spans = [text.of(one).tokens for one in ("encoder", "decoder")]
        at = [
            {token.start: token.position for token in rows[~rows["is_special"]].itertuples()}
            for rows in spans
        ]
        links = {
            (at[1][link[0]], at[0][link[2]]): link[4]
            for link in state.text(example).example["alignment"]
        }
        sure = {pair for pair, certain in links.items() if certain}
        special = {*spans[0].loc[spans[0]["is_special"], "position"]}
        stop = max(at[1].values())
        assert spans[1]["token"].iloc[stop] == "."
        own = values[values["text"] == example]
        blind = own[(own["quantity"] == "baseline_error") & (own["subject"] == "chance")][
            "value"
        ].item()
        expected = (len(sure) + len(links)) / len(at[0]) / (len(at[1]) + len(sure))
        assert blind == pytest.approx(1 - expected)
        for method, matrix in followed(text, settings).items():
            last = matrix.shares[-1][:, : len(spans[0])]
            for step, shift in (("told", -1), ("given", 0)):
                found = {(word, int(last[word + shift].argmax())) for word in at[1].values()}
                found = {pair for pair in found if pair[1] not in special}
                words = {word for word, _ in sure} - {stop}
                for quantity, asked in (
                    ("alignment_error", {*at[1].values()}),
                    ("content_error", words),
                ):
                    kept, to_find = (
                        {pair for pair in pairs if pair[0] in asked} for pairs in (found, sure)
                    )
                    right = len(kept & to_find) + len(kept & {*links})
                    of = own[(own["subject"] == method) & (own["quantity"] == quantity)]
                    value = of[of["facet"] == step]["value"].iloc[-1]
                    error = 1 - right / (len(kept) + len(to_find))
                    assert value == pytest.approx(error), (method, step, quantity)


def test_gradients_are_those_of_one_logit_at_a_time(finished, state):
    from attention_mixing.capture.gradients import gradients_of_targets
    from attention_mixing.models.encode import encode_examples
    from attention_mixing.models.load import load_translator
    from attention_mixing.models.tokenizer import load_tokenizer

    model, tokenizer = load_translator(state.model), load_tokenizer(state.model)
    length = parameters().experiments[EXPERIMENT].length
    encoded = encode_examples(state.examples, tokenizer, length, model.config)[:2]
    words = model.get_encoder().get_input_embeddings()
    for text, (norm, product) in zip(
        encoded, gradients_of_targets(model, encoded, device=torch.device("cpu")), strict=True
    ):
        told = text.target.input_ids[1:]
        assert norm.shape == product.shape == (len(told) + 1, len(text.input_ids))
        for row, token in enumerate(told):
            leaves = []

            def keep(module, given, output, leaves=leaves):
                if leaves:
                    return output
                leaves.append(output.detach().requires_grad_())
                return leaves[0]

            with words.register_forward_hook(keep):
                logits = model(
                    input_ids=torch.tensor([text.input_ids]),
                    decoder_input_ids=torch.tensor([text.target.input_ids]),
                ).logits
            (slope,) = torch.autograd.grad(logits[0, row, token], leaves)
            np.testing.assert_allclose(norm[row], slope[0].norm(dim=-1), rtol=1e-4, atol=1e-6)
            own = (slope * leaves[0].detach())[0].sum(dim=-1)
            np.testing.assert_allclose(product[row], own, rtol=1e-3, atol=1e-5)


def test_what_is_known_of_each_stream_is_noted(finished):
    known = read_artifact(finished / "capture" / "facts.json")["streams"]
    assert known["encoder"]["structure"]["sight"] == ["all"]
    assert known["decoder"]["structure"]["sight"] == ["earlier"]
    for stream, begins in {"encoder": False, "decoder": True}.items():
        assert known[stream]["structure"]["special_first"] is begins
    assert known["decoder"]["capture"]["tokens"] != known["encoder"]["capture"]["tokens"]
    assert known["decoder"]["rendering"]["characters"] > 0


def test_cross_arrays_are_as_large_as_predicted(state):
    read, lengths, stored = Capture(state.captured), [], 0
    for example in read.examples["id"]:
        source, target = (len(read.tokens_of(example, target=one)) for one in (False, True))
        lengths.append({"token": target, "query": target, "key": source})
        names = axes("cross", gated=False)
        stored += sum(4 * read.array(example, f"cross.{name}").size for name in names)
    sizes = {"layers": 2, "heads": 4, "head_dim": 8, "model_dim": 32}
    assert predicted_bytes("float32", lengths, stream="cross", **sizes) == stored


# --- doors ----------------------------------------------------------------------------------------


def test_texts_without_targets_are_refused_for_an_encoder_decoder(here):
    values = parameters()
    verbs = tiny.committed()["experiments"]["verbs"]
    verbs["model"] |= {"type": "bart", "config": parameters().experiments[EXPERIMENT].model.config}
    only = {"verbs": Experiment.model_validate(verbs)}
    Path("params.yaml").touch()
    with pytest.raises(InputError, match="reads a text with its target, but the texts have none"):
        try_out(values.model_copy(update={"experiments": only}))


@pytest.fixture
def own_texts(finished, here):
    """Texts of one's own that a model in a file reads with targets, and such targets."""
    Path("mine").symlink_to(finished / "train" / "0" / "model")
    corpus = pd.read_parquet(finished / "corpus" / "examples.parquet")
    sentences = tiny.committed()["experiments"]["sentences"]

    def changed(targets: list[str] | None) -> Params:
        data = {"source": "texts", "texts": corpus["text"].tolist()[:20], "targets": targets}
        model = {"source": "local", "name": "mine"}
        own = Experiment.model_validate(sentences | {"data": data, "model": model})
        return parameters().model_copy(
            update={"experiments": {"mine": own}, "files": {"mine": "mine"}}
        )

    yield changed, corpus["target"].tolist()[:20]


def test_targets_of_ones_own_are_read_before_anything_runs(own_texts, capsys):
    changed, targets = own_texts
    try_out(changed(targets))
    assert not capsys.readouterr().out
    try_out(changed([f"{target} zzz qqq www" for target in targets]))
    assert "mine-decoder: the model does not see" in capsys.readouterr().out
    with pytest.raises(InputError, match=r"experiments\.mine: the target 'zzz' has no token"):
        try_out(changed(["zzz", *targets[1:]]))
    with pytest.raises(InputError, match="reads a text with its target, but the texts have none"):
        try_out(changed(None))
    few = parameters().projection.model_copy(update={"examples": (0,)})
    with pytest.raises(InputError, match="mine-decoder"):
        values = changed([targets[0].split()[0], *targets[1:]])
        try_out(values.model_copy(update={"projection": few}))


def test_targets_are_refused_for_a_model_of_one_text(here):
    values = parameters()
    only = values.experiments[EXPERIMENT].model_dump()
    only["model"] |= {"type": "gpt2", "config": {"n_embd": 32, "n_layer": 2, "n_head": 4}}
    Path("params.yaml").touch()
    with pytest.raises(InputError, match="reads one text: it is no encoder-decoder"):
        try_out(
            values.model_copy(update={"experiments": {EXPERIMENT: Experiment.model_validate(only)}})
        )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"task": "classification", "model": {"source": "local", "name": "tiny"}},
            "its texts have targets; set task: sequence_to_sequence",
        ),
        ({"model": {"source": "embedded"}}, "the embedded model reads one text"),
        (
            {"task": "sequence_to_sequence", "data": {"source": "sentences"}},
            "have no targets to learn",
        ),
    ],
)
def test_what_does_not_go_with_targets_is_refused(changes, said):
    with pytest.raises(ValueError, match=said):
        parameters(**changes)
