"""Pairs in a file: heads that are ranked by them, and what the page shows of pairs and scores."""

import json

import numpy as np
import pytest
import tiny_experiment as tiny
from explorer.unpacking import files_of, unpacked
from families import build
from typer.testing import CliRunner

from attention_mixing.__main__ import app
from attention_mixing.capture import capture_text
from attention_mixing.capture.score_parts import decomposed_score
from attention_mixing.errors import InputError
from attention_mixing.explain import MarkedText, explain
from attention_mixing.explain.marked import read_marked
from attention_mixing.measures.marked_pairs import pairs_of_spans, rank_heads

TEXTS = ("the film was not very good", "a dull plot, but good music")
SPANS = ([[[22, 26], [4, 8]], [[13, 16], [4, 8]]], [[[22, 27], [2, 6]]])


@pytest.fixture
def pairs(tmp_path):
    lines = [json.dumps({"text": text, "pairs": of}) for text, of in zip(TEXTS, SPANS, strict=True)]
    path = tmp_path / "pairs.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_the_command_ranks_as_the_library_does(pretrained, pairs, tmp_path):
    output = tmp_path / "page.html"
    given = ["explain", "--pairs", str(pairs), "--model", str(pretrained), "--output", str(output)]
    done = CliRunner().invoke(app, [*given, "--json"])
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout)
    read = [capture_text(text, model=str(pretrained)) for text in TEXTS]
    ranked = rank_heads(
        (text, pairs_of_spans(text, of)) for text, of in zip(read, SPANS, strict=True)
    )
    assert len(rows) == len(ranked)
    for row, expected in zip(rows, ranked.to_dict("records"), strict=True):
        for name, value in expected.items():
            assert row[name] == (pytest.approx(value, abs=1e-9) if name != "direction" else value)
    printed = CliRunner().invoke(app, given).stdout.splitlines()
    assert printed[0].split() == ["rank", *ranked.columns]
    assert printed[1].split()[1:4] == [str(ranked[name][0]) for name in ranked.columns[:3]]
    assert len(printed) == 1 + 10 + 1
    files = files_of(output.read_text(encoding="utf-8"))
    shown = files[f"{pretrained.name}/text-0"]
    assert shown["pairs"] == "6-2.4-2"
    assert shown["queries"]["tokens"][6] == "good"
    first = ranked.iloc[0]
    place = [6, 2] if first["direction"] == "query_to_key" else [2, 6]
    assert shown["score"] == [first["layer"], first["head"], *place]


def test_a_page_takes_one_score_of_a_text_apart(pretrained):
    """Its parts add up to the score of the model."""
    files = files_of(explain([(TEXTS[0], None)], str(pretrained)).page())
    name = pretrained.name
    layer, head, query, key = files[f"{name}/text-0"]["score"]
    assert query != key
    shown = files[f"{name}/text-0/score"]["states"][name]
    text = capture_text(TEXTS[0], model=str(pretrained))
    expected = decomposed_score(text, layer - 1, query, key)
    parts = unpacked(shown["parts"])
    assert parts.shape == (len(shown["queries"]), len(shown["keys"]))
    largest = np.abs(expected.parts[head - 1]).max()
    np.testing.assert_allclose(parts, expected.parts[head - 1], atol=largest / 30_000, rtol=0)
    assert parts.sum() + shown["position"] == pytest.approx(shown["score"], abs=2e-2 * largest)
    assert shown["score"] == pytest.approx(expected.score[head - 1], rel=1e-5)
    named = {"word_embeddings": "word", "position_embeddings": "position"}
    named |= {"token_type_embeddings": "type", "": ""}
    assert shown["queries"] == [
        [*writer[:3], named[writer.name], writer.stream] for writer in expected.query_sources
    ]


def test_of_two_models_it_is_that_of_the_opening_view(tmp_path, make_model, tokenizer):
    paths = []
    for name, seed in (("before", 1), ("after", 2)):
        tiny.save(make_model("bert", seed=seed, initializer_range=0.3), tokenizer, tmp_path / name)
        paths.append(str(tmp_path / name))
    files = files_of(explain([(TEXTS[0], None)], paths[0], compare=paths[1]).page())
    layer, head, query, key = files["before/text-0"]["score"]
    telling = files["before/text-0"]["telling"]["both"]
    assert (layer, head) == (telling["layer"], telling["heads"][layer - 1])
    assert [query, key] == telling["of_heads"][layer - 1][head - 1]
    assert list(files["before/text-0/score"]["states"]) == ["before", "after"]


def test_a_score_that_is_no_sum_has_no_parts(tmp_path, tokenizer):
    tiny.save(build("qwen3", vocab_size=len(tokenizer)), tokenizer, tmp_path / "qwen")
    files = files_of(explain([(TEXTS[0], None)], str(tmp_path / "qwen")).page())
    assert files["qwen/text-0/score"]["states"] == {"qwen": {}}


@pytest.mark.parametrize("stream", ["encoder", "decoder", "cross", ""])
def test_every_stream_of_an_encoder_decoder_can_be_marked(stream, tmp_path, tokenizer):
    tiny.save(build("t5", vocab_size=len(tokenizer)), tokenizer, tmp_path / "t5")
    one = MarkedText("a dull plot", "the film was bad", [((4, 8), (2, 3))], stream)
    if stream in ("", "cross"):
        one = one._replace(spans=[((4, 8), (7, 11))])
    if stream == "encoder":
        one = one._replace(spans=[((7, 11), (2, 6))])
    explained = explain([], str(tmp_path / "t5"), marked=[one])
    assert set(explained.ranked["stream"]) == {stream or "cross"}
    files = files_of(explained.page())
    marked = {name for name, content in files.items() if "pairs" in content}
    assert marked == {f"t5/{stream or 'cross'}/text-0"}


FAULTS = {
    "no json": "is no object of JSON",
    '["a"]': "is no object of JSON",
    '{"pairs": [[[0, 1], [2, 3]]]}': "has no text that is a string",
    '{"text": "a", "pairs": []}': "has no pairs",
    '{"text": "a", "pairs": [[0, 1]]}': "has the pair .*, which is not two spans",
    '{"text": "a", "pairs": [[[0, 1], [true, 3]]]}': "has the pair .*, which is not two spans",
    '{"text": "a", "pairs": [[[0, 1], [3, 3]]]}': r"has the span \[3, 3\], which does not end",
    '{"text": "a", "spans": []}': "has 'spans', which is none of text, second, pairs and stream",
    '{"text": "a", "stream": "both", "pairs": []}': "has the stream 'both', which is none of enc",
}


@pytest.mark.parametrize(("line", "fault"), FAULTS.items())
def test_what_is_no_file_of_pairs_is_refused(line, fault, tmp_path):
    path = tmp_path / "pairs.jsonl"
    good = json.dumps({"text": TEXTS[0], "pairs": SPANS[0]})
    path.write_text(f"{good}\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match=rf"pairs.jsonl, line 2 {fault}.*; allowed: lines such"):
        read_marked(path)


def test_what_cannot_be_ranked_names_its_line(pretrained, pairs, tmp_path):
    def refused(*options):
        return str(CliRunner().invoke(app, ["explain", *options]).exception)

    model = ("--model", str(pretrained), "--output", str(tmp_path / "page.html"))
    pairs.write_text(json.dumps({"text": TEXTS[0], "pairs": [[[0, 3], [90, 95]]]}))
    assert "pairs.jsonl, line 1: the key [90, 95] of the text" in refused(
        "--pairs", str(pairs), *model
    )
    pairs.write_text(json.dumps({"text": TEXTS[0], "pairs": SPANS[0], "stream": "cross"}))
    assert "line 1 names the stream cross, but BertModel is no" in refused(
        "--pairs", str(pairs), *model
    )
    pairs.write_text("")
    assert "pairs.jsonl is empty; allowed: lines such as" in refused("--pairs", str(pairs), *model)
    assert "cannot be read" in refused("--pairs", str(tmp_path / "none.jsonl"), *model)
    assert "--json is given without --pairs" in refused("a film", "--json", *model)
