"""The page of any text: whole, quiet, and with the numbers of the model."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import tiny_experiment as tiny
import torch
from explorer.unpacking import files_of, texts_of, unpacked
from families import build
from json_files import rewrite
from transformers import AutoTokenizer
from typer.testing import CliRunner

from attention_mixing import explorer
from attention_mixing.__main__ import app
from attention_mixing.capture import capture_text
from attention_mixing.errors import InputError
from attention_mixing.explain import explain, reading, show
from attention_mixing.explorer.columns import DEPENDENCE, METHODS
from attention_mixing.measures import measure

TEXT = "the film was not very good"
LONG = "w" * 20_000
MARKUP = "the </script><script>alert(1)</script> film"


def predicted(page: str) -> dict:
    """What a page says of the prediction of its only text by its only model."""
    (text,) = texts_of(page)
    (state,) = text["states"].values()
    return state


def test_the_page_holds_the_numbers_of_the_model(pretrained):
    """As exact as they are printed; rows are those of ``measure``."""
    files = files_of(explain([(TEXT, None)], str(pretrained)).page())
    name = pretrained.name
    text = capture_text(TEXT, model=str(pretrained))
    shown = files[f"{name}/text-0"]
    assert shown["queries"]["tokens"] == text.tokens["token"].tolist()
    near = {"atol": 1e-5, "rtol": 0}
    rows = measure(text, "rows").fields["rows"]
    rows |= measure(text, "measured_rows").fields["measured_rows"]
    for layer, head in np.ndindex(text["attention"].shape[:2]):
        of_head = files[f"{name}/text-0/head-{layer + 1}-{head + 1}-{name}"]
        np.testing.assert_allclose(
            unpacked(of_head["attention"]), text["attention"][layer, head], **near
        )
        for kind in ("query", "key"):
            vectors = text[kind][layer, head]
            tolerance = np.abs(vectors).max() / 50_000
            np.testing.assert_allclose(unpacked(of_head[kind]), vectors, atol=tolerance, rtol=0)
    for layer in range(len(text["attention"])):
        of_layer = files[f"{name}/text-0/rows-{layer + 1}-0-{name}"]
        assert list(of_layer) == [*METHODS, DEPENDENCE]
        for method, packed in of_layer.items():
            np.testing.assert_allclose(unpacked(packed), rows[method][layer], **near)
    assert shown["states"][name] == {"predicted": None, "prediction": {}}  # without a task


def test_what_tokens_depend_on_is_measured_of_texts_that_are_not_long(pretrained, monkeypatch):
    tokens = len(capture_text(TEXT, model=str(pretrained)).tokens)
    for most, measured in ((tokens, True), (tokens - 1, False)):
        monkeypatch.setattr(reading, "REPLACED", most)
        files = files_of(explain([(TEXT, None)], str(pretrained)).page())
        rows = files[f"{pretrained.name}/text-0/rows-1-0-{pretrained.name}"]
        assert (DEPENDENCE in rows) == measured


def test_removing_a_token_lowers_the_probability_by_as_much(tmp_path, make_model, tokenizer):
    wide = {"initializer_range": 0.3}  # so that tokens matter
    tiny.save(make_model("bert", "ForSequenceClassification", **wide), tokenizer, tmp_path)
    explained = explain([(TEXT, None)], str(tmp_path))
    found = predicted(explained.page())
    text = capture_text(TEXT, model=str(tmp_path))
    removed = unpacked(found["prediction"]["left_out_mask"])
    place = text.tokens["token"].tolist().index("not")
    without = capture_text(TEXT.replace("not", "[MASK]"), model=str(tmp_path)).example
    whole = text.example
    same = without["prediction"] == whole["prediction"]
    kept = without["probability"] if same else 1 - without["probability"]
    assert removed[place] == pytest.approx(whole["probability"] - kept, abs=1e-4)
    assert abs(removed[place]) > 1e-3
    assert np.isnan(removed[0])  # [CLS] stays
    assert (unpacked(found["prediction"]["gradient_norm"]) > 0).all()


def test_a_language_model_chooses_among_words_and_tokens_are_deleted(decoder):
    """Its tokenizer has no mask; what is left of the text is what the model reads then."""
    text = "The keys near the cabinet"
    words = ("was", "were")
    found = predicted(explain([(text, None)], str(decoder), words=words).page())
    read = capture_text(text, model=decoder, words=words)
    whole = read.example
    assert found["predicted"]["label"] == words[whole["prediction"]]
    assert found["predicted"]["among"] == list(words)
    table = read.next_tokens
    tokens, odds = zip(*found["predicted"]["next"], strict=True)
    assert list(tokens) == table["written"].tolist()
    np.testing.assert_allclose(odds, table["probability"], rtol=1e-3)
    without = capture_text("The keys the cabinet", model=decoder, words=words).example
    kept = without["probability"]
    kept = kept if without["prediction"] == whole["prediction"] else 1 - kept
    removed = unpacked(found["prediction"]["left_out_delete"])
    place = read.shown_tokens["token"].str.strip().tolist().index("near")
    assert removed[place] == pytest.approx(whole["probability"] - kept, abs=1e-4)
    assert np.isnan(removed[0])  # the token that every text begins with stays


HEADED = ("cohere", "cohere2", "granite", "granitemoe", "bitnet", "laguna", "afmoe")


@pytest.mark.parametrize("family", [*HEADED, "gpt2"])  # the last without a padding token
def test_words_are_chosen_as_the_language_model_of_any_family_does(family, tmp_path, decoder):
    words, text = ("was", "were"), "The keys near the cabinet"
    tokenizer = AutoTokenizer.from_pretrained(decoder)
    model = build(family, "ForCausalLM", vocab_size=len(tokenizer))
    tiny.save(model, tokenizer, tmp_path)
    found = predicted(explain([(text, None)], str(tmp_path), words=words).page())
    ids = tokenizer.convert_tokens_to_ids(words)

    @torch.inference_mode()
    def odds(text: str) -> torch.Tensor:
        return model(**tokenizer(text, return_tensors="pt")).logits[0, -1, ids].softmax(-1)

    chosen = int(odds(text).argmax())
    assert found["predicted"]["label"] == words[chosen]
    probability = float(odds(text)[chosen])
    assert found["predicted"]["probability"] == pytest.approx(probability, rel=1e-3)
    removed = unpacked(found["prediction"]["left_out_delete"])
    without = float(odds("The keys the cabinet")[chosen])
    place = tokenizer(text)["input_ids"].index(tokenizer.convert_tokens_to_ids("near"))
    assert removed[place] == pytest.approx(probability - without, abs=1e-5)


def test_what_was_saved_chooses_among_its_words_alone(decoder, tmp_path):
    """What the language model said before it was trained to choose is not at hand."""
    chosen = capture_text("The keys", model=decoder, words=("was", "were")).network.model
    tiny.save(chosen, AutoTokenizer.from_pretrained(decoder), tmp_path)
    told = predicted(explain([("The keys", None)], str(tmp_path)).page())["predicted"]
    assert told["among"] == ["was", "were"]
    assert "next" not in told


def test_two_models_are_shown_side_by_side(tmp_path, make_model, tokenizer):
    paths = []
    for name, spread in (("before", 0.2), ("after", 0.4)):
        directory = tmp_path / name / "model"
        tiny.save(make_model("bert", initializer_range=spread), tokenizer, directory)
        paths.append(directory)
    files = files_of(explain([(TEXT, None)], str(paths[0]), compare=str(paths[1])).page())
    (text,) = [one for name, one in files.items() if name == "before/text-0"]
    assert list(text["states"]) == ["before", "after"]
    assert np.min(text["heads"]["distance"]["both"]) > 0
    assert "before/text-0/head-2-1-after" in files


def test_heads_that_are_left_out_are_named_of_each_model(tmp_path, make_model, tokenizer):
    heads = {"words": "ForMaskedLM", "none": None, "answers": "ForQuestionAnswering"}
    for name, head in heads.items():
        tiny.save(make_model("bert", head), tokenizer, tmp_path / name)
    for one, other in (("words", "answers"), ("none", "answers")):
        explained = explain([(TEXT, None)], str(tmp_path / one), compare=str(tmp_path / other))
        left_out = {name: f"Bert{heads[name]}" for name in (one, other) if heads[name]}
        assert explained.heads == left_out
        (said,) = re.findall(r'id="said">(.*?)</script>', explained.page())
        notes = json.loads(said)["notes"]
        for language, sentence in (("en", "The head of {}, {}, is"), ("ja", "{} の出力層（{}）")):
            assert len(notes[language]) == 1 + len(left_out)
            for note, (name, left) in zip(notes[language][1:], left_out.items(), strict=True):
                assert note.startswith(sentence.format(tmp_path / name, left))  # as it was given


def test_models_that_cannot_be_compared_are_told_apart(tmp_path, make_model, tokenizer, decoder):
    one, other = tmp_path / "one", tmp_path / "other"
    model = make_model("bert")
    tiny.save(model, tokenizer, one)
    model.config.num_hidden_layers = 1
    tiny.save(type(model)(model.config), tokenizer, other)
    with pytest.raises(InputError, match="one and other have other layers and heads; compare"):
        explain([(TEXT, None)], str(one), compare=str(other))
    with pytest.raises(InputError, match="is compared with itself; name another model"):
        explain([(TEXT, None)], str(one), compare=str(one))
    with pytest.raises(InputError, match="is compared with itself; name another model"):
        explain([(TEXT, None)], str(one), compare=f"{one}/../{one.name}/")
    with pytest.raises(InputError, match="is named both, as the page names the two together"):
        explain([(TEXT, None)], str(one), compare=str(tmp_path / "both"))
    with pytest.raises(InputError, match="make other tokens of"):
        explain([(TEXT, None)], str(one), compare=str(decoder))


def test_an_encoder_decoder_is_shown_stream_by_stream(tmp_path, make_model, tokenizer):
    tiny.save(make_model("t5"), tokenizer, tmp_path)
    files = files_of(explain([("a dull plot", "bad")], str(tmp_path)).page())
    name = tmp_path.name
    cross = files[f"{name}/cross/text-0"]
    source, target = (
        files[f"{name}/{one}/text-0"]["keys"]["tokens"] for one in ("encoder", "decoder")
    )
    assert cross["keys"]["tokens"] == source + target
    assert cross["queries"]["tokens"] == target
    assert cross["sources"] == len(source)
    rows = unpacked(files[f"{name}/cross/text-0/rows-1-0-{name}"]["rollout"])
    np.testing.assert_allclose(rows.sum(axis=-1), 1, atol=1e-4)


def test_numbers_are_listed_as_they_are(pretrained, tmp_path):
    output, csv = tmp_path / "page.html", tmp_path / "numbers.csv"
    given = ["explain", "=good film", "--model", str(pretrained), "--output", str(output)]
    done = CliRunner().invoke(app, [*given, "--csv", str(csv)])
    assert done.exit_code == 0, done.output
    table = pd.read_csv(csv)
    text = capture_text("=good film", model=str(pretrained))
    tokens = len(text.tokens)
    assert len(table) == len(text["attention"]) * tokens**2
    row = table.query("layer == 2 and query == 1 and key == 3").iloc[0]
    assert row["head_2"] == pytest.approx(text["attention"][1, 1, 1, 3], rel=1e-5)
    raw = text["attention"].mean(axis=1)
    assert row["raw"] == pytest.approx(raw[1, 1, 3], rel=1e-5)
    assert not table["query_token"].str.startswith("=").any()


@pytest.mark.parametrize("kind", ["classifier", "decoder", "words", "t5"])
def test_the_listed_numbers_are_those_of_the_page(kind, tmp_path, make_model, tokenizer, decoder):
    """Column by column, as exact as the page has them, and nothing that only one of them has."""
    given, words, model = (TEXT, "the music was bad" if kind == "t5" else None), (), tmp_path
    if kind in ("decoder", "words"):
        given, model = ("The keys near the cabinet", None), decoder
        words = ("was", "were") if kind == "words" else ()
    else:
        head = "ForSequenceClassification" if kind == "classifier" else None
        tiny.save(make_model("bert" if head else kind, head), tokenizer, tmp_path)
    explained = explain([given], str(model), words=words)
    table, files, name = explained.numbers(), files_of(explained.page()), model.name
    table["stream"] = table["stream"].fillna("")
    counted = 0
    for stream, of_stream in table.groupby("stream"):
        base = "/".join(filter(None, (name, stream, "text-0")))
        of_text = files[base]
        state = of_text["states"][name]
        for (layer, query), rows in of_stream.groupby(["layer", "query"]):
            block = files[f"{base}/rows-{layer}-{query // of_text['block']}-{name}"]
            columns = {
                method: unpacked(packed)[query % of_text["block"]]
                for method, packed in block.items()
            }
            columns["raw"][of_text["sources"] :] = np.nan  # as rows.js has it
            # Of a decoder alone it is not measured.
            assert (DEPENDENCE in columns) == (stream != "decoder")
            columns.setdefault(DEPENDENCE, np.full(len(rows), np.nan))
            heads = sum(f"{base}/head-{layer}-" in file for file in files)
            for head in range(1, heads + 1):
                weights = unpacked(files[f"{base}/head-{layer}-{head}-{name}"]["attention"])[query]
                undefined = np.full(len(rows) - len(weights), np.nan)
                columns[f"head_{head}"] = np.concatenate([weights, undefined])
            columns |= {method: unpacked(one) for method, one in state["prediction"].items()}
            told = ["prediction", "probability"] if state["predicted"] else []
            placed = ["text", "model", "stream", "layer", "query", "key", "query_token"]
            assert {*rows.columns} == {*placed, "key_token", *columns, *told}
            for column, shown in columns.items():
                listed = rows[column].to_numpy(float)
                near = 1e-4 * max(1, np.nanmax(np.abs(listed), initial=0))
                np.testing.assert_allclose(listed, shown, atol=near, rtol=0, err_msg=column)
                counted += 1
            for column, part in zip(told, ("label", "probability"), strict=False):
                assert set(rows[column]) == {state["predicted"][part]}
    assert counted
    assert (
        ("gradient_norm" in table) == ("prediction" in table) == (kind in ("classifier", "words"))
    )


@pytest.mark.parametrize(("kind", "reads"), [("bert", [0]), ("decoder", [-1]), ("t5", [0, -1, -1])])
def test_a_page_opens_on_the_token_that_has_seen_the_text(
    kind, reads, tmp_path, make_model, tokenizer, decoder
):
    model, given = decoder, [("The keys near the cabinet", None), ("The keys", None)]
    if kind != "decoder":
        model, two = tmp_path, kind == "t5"
        tiny.save(make_model(kind), tokenizer, tmp_path)
        given = [(TEXT, "a dull plot" if two else None), ("bad!", "bad" if two else None)]
    shown = texts_of(explain(given, str(model)).page())
    assert [one["read"] for one in shown] == [
        place % len(one["queries"]["tokens"])
        for one, place in zip(shown, reads * len(given), strict=True)
    ]


def test_in_a_console_what_was_found_is_a_line(pretrained):
    page = show(TEXT, model=str(pretrained))
    assert len(page) > 100_000
    measured = measure(capture_text(TEXT, model=str(pretrained)))
    for shown in (page, explain([(TEXT, None)], str(pretrained)), measured):
        assert len(repr(shown)) < 100
        assert "\n" not in repr(shown)
    assert str(page).startswith("<!DOCTYPE html>")


def test_a_notebook_shows_the_page_in_a_frame_of_its_own(pretrained):
    page = show(TEXT, model=str(pretrained))
    frame = page._repr_html_()
    assert frame.startswith("<iframe srcdoc=")
    assert "<script" not in frame  # escaped, as the value of an attribute


def test_words_are_given_on_the_command_line(decoder, here):
    given = ["explain", "The keys", "--model", str(decoder), "--word", "was", "--word", "were"]
    ran = CliRunner().invoke(app, given)
    assert ran.exit_code == 0
    found = predicted((here / "explained.html").read_text(encoding="utf-8"))
    assert found["predicted"]["label"] in ("was", "were")


def test_a_label_without_a_name_is_shown_by_its_number(tmp_path, make_model, tokenizer):
    model = make_model("bert", "ForSequenceClassification")
    tiny.save(model, tokenizer, tmp_path)
    rewrite(tmp_path, id2label={"1": "a", "2": "b"}, label2id={"a": 1, "b": 2})
    with torch.no_grad():
        model.classifier.bias[:] = torch.tensor([9.0, 0.0])
    model.save_pretrained(tmp_path / "other")
    (tmp_path / "model.safetensors").write_bytes(
        (tmp_path / "other" / "model.safetensors").read_bytes()
    )
    found = predicted(explain([(TEXT, None)], str(tmp_path)).page())
    assert found["predicted"]["label"] == "0"


def test_removals_that_take_long_are_announced(
    tmp_path, make_model, tokenizer, monkeypatch, capsys
):
    tiny.save(make_model("bert", "ForSequenceClassification"), tokenizer, tmp_path)
    explain([(TEXT, None)], str(tmp_path))
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("attention_mixing.explain.reading.LONG", 0)
    explain([(TEXT, None)], str(tmp_path))
    assert "The prediction without each of 6 tokens takes about 0.0 minutes." in (
        capsys.readouterr().err
    )


def test_the_page_asks_for_nothing_and_markup_in_a_text_is_text(pretrained):
    page = explain([(MARKUP, None), ("bad!", "a dull plot")], str(pretrained)).page()
    style_and_markup = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r"(src|href)=[\"'](?!data:)|@import|url\(", style_and_markup)
    assert "<script>alert" not in page
    alone, pair = texts_of(page)
    assert alone["text"] == MARKUP
    assert len(pair["queries"]["tokens"]) == 8


def test_languages_say_the_same_things():
    assert messages("en") == messages("ja")


def messages(language: str) -> dict[str, set[str]]:
    """Names of the messages, with the values that each takes."""
    text = (explorer.HERE / f"{language}.ftl").read_text(encoding="utf-8")
    return {
        name: set(re.findall(r"\{ \$(\w+) \}", said))
        for name, said in re.findall(r"^([\w-]+) = (.*)$", text, re.M)
    }


def test_the_command_writes_the_page(tmp_path, pretrained):
    output, texts = tmp_path / "page.html", tmp_path / "texts.txt"
    texts.write_text("bad!\n\na dull plot\n", encoding="utf-8")
    arguments = ["explain", TEXT, "--file", str(texts), "--model", str(pretrained)]
    done = CliRunner().invoke(app, [*arguments, "--output", str(output)])
    assert done.exit_code == 0, done.output
    shown = texts_of(output.read_text(encoding="utf-8"))
    assert [one["text"] for one in shown] == [TEXT, "bad!", "a dull plot"]


def explained(tmp_path, pretrained, content, *texts):
    """What the command says and writes of a file."""
    output, file = tmp_path / "page.html", tmp_path / "texts.txt"
    file.write_bytes(content)
    options = ["--file", str(file), "--model", str(pretrained), "--output", str(output)]
    done = CliRunner().invoke(app, ["explain", *texts, *options])
    return done, output, f"--file {file}, line "


def test_lines_that_the_model_cannot_read_are_left_out_by_their_numbers(tmp_path, pretrained):
    """With a byte order mark, ends of lines as on Windows, and white space within a line."""
    long = b"film " * 600
    content = b"\xef\xbb\xbfbad!\r\n\r\n" + long + b"\r\na dull\x0bplot\r\n\x00\r\n"
    done, output, line = explained(tmp_path, pretrained, content, "the film", "film " * 601)
    assert done.exit_code == 0, done.output
    shown = texts_of(output.read_text(encoding="utf-8"))
    assert [one["text"] for one in shown] == ["the film", "bad!", "a dull plot"]
    begun, second, third, fifth = done.stderr.splitlines()
    assert begun == f"Reading 6 texts with {pretrained} ..."
    assert second.startswith("warning: text 2 is left out: the text has ")
    assert third.startswith(f"warning: {line}3 is left out: the text has ")
    assert fifth.startswith(
        f"warning: {line}5 is left out: the text '\\x00' has no token the model"
    )


def test_where_no_line_is_left_nothing_is_written(tmp_path, pretrained):
    done, output, line = explained(tmp_path, pretrained, b"\n" + (b"film " * 600 + b"\n") * 2)
    assert [one.partition(" is left")[0] for one in done.stderr.splitlines()[1:]] == [
        f"warning: {line}2",
        f"warning: {line}3",
    ]
    assert isinstance(done.exception, InputError)
    assert str(done.exception).startswith("none of the 2 texts can be read by ")
    assert not output.exists()


def test_a_line_break_in_a_text_is_a_space(pretrained):
    (shown,) = texts_of(explain([("the\n\nfilm\tis bad", None)], str(pretrained)).page())
    assert shown["text"] == "the film is bad"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            [],
            "0 texts are given; allowed: one or more, exactly one with --pair",
        ),
        (["a", "b", "--pair", "c"], "2 texts are given with a pair"),
        (["--file", "nowhere.txt"], "--file is nowhere.txt, which cannot be read"),
        (["a", "b \udcff"], "text 2 holds bytes that are not UTF-8; write it in UTF-8."),
        (["a", "--pair", "b \udcff"], "--pair holds bytes that are not UTF-8"),
        (["a", "--output", "nowhere/page.html"], "whose directory does not exist"),
        (["a", "--output", "."], "--output is ., which is a directory; name another file."),
        (["a", "--csv", "made"], "--csv is made, which is a directory; name another file."),
        (["a", "--csv", "made/a/b"], "--csv is made/a/b, whose directory does not exist"),
        (["a", "--csv", "texts.txt/b"], "which cannot be written (Not a directory)"),
        (["a", "--csv", "made/../explained.html"], "which --output is as well; name another"),
        (["--file", "texts.txt", "--csv", "texts.txt"], "--csv is texts.txt, which --file is"),
        (["a", "--csv", LONG], "www... (20,000 characters), which cannot be written (File name"),
        (["--file", LONG], "www... (20,000 characters), which cannot be read"),
        (["a", "--model", LONG], "model.name is 'www"),
        (["a", "--compare", f"./{LONG}"], "www'... (20,002 characters) is no directory here"),
        (["a", "--model", "~nobody-of-that-name/a"], "'~nobody-of-that-name/a' is no directory"),
    ],
)
def test_mistakes_are_told_in_a_sentence_before_anything_is_computed(
    arguments, said, here, monkeypatch
):
    Path("made").mkdir()
    Path("texts.txt").write_text("a text\n", encoding="utf-8")
    monkeypatch.setattr("attention_mixing.explain.reading.read_with", None)
    error = CliRunner().invoke(app, ["explain", *arguments]).exception
    assert isinstance(error, InputError)
    assert said in str(error)
    assert len(str(error)) < 1000
    assert not Path("explained.html").exists()


def test_a_file_that_may_not_be_written_is_told_before_anything_is_computed(here, monkeypatch):
    monkeypatch.setattr("os.access", lambda path, mode: Path(path).name != "made")
    Path("made").mkdir()
    error = CliRunner().invoke(app, ["explain", "a", "--csv", "made/a.csv"]).exception
    assert str(error) == "--csv is made/a.csv, which you may not write; name another file."


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["a plot"], "texts holds 'a plot'; allowed: pairs of a text and a second one, or None"),
        ("a plot", "texts holds 'a'; allowed: pairs of a text and a second one, or None"),
        ([("a plot", 3)], "pair is of type int; allowed: one string"),
        ([("zebra", None)], "the text 'zebra' has no token the model knows of"),
    ],
)
def test_texts_are_pairs_of_strings(pretrained, texts, said):
    with pytest.raises(InputError, match=said):
        explain(texts, str(pretrained))


def test_a_loaded_model_is_explained_from_its_directory(make_model):
    with pytest.raises(InputError, match="model is of type BertModel; allowed here: a directory"):
        explain([("a plot", None)], make_model("bert"))


def test_an_encoder_decoder_needs_a_target(tmp_path, make_model, tokenizer):
    tiny.save(make_model("t5"), tokenizer, tmp_path)
    with pytest.raises(
        InputError, match="reads a text and its target, and a text is given without one"
    ):
        explain([("a dull plot", None)], str(tmp_path))
