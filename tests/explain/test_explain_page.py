"""The page of one text: whole, quiet, and with the numbers of the model."""

import base64
import json
import re
import zlib

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from analysis.__main__ import app
from analysis.capture import capture_text
from analysis.errors import InputError
from analysis.explain import HERE, explain
from analysis.methods.attention import head_mean
from analysis.methods.rollout import attention_rollout, with_residual

TEXT = "the film was not very good"
MARKUP = "the </script><script>alert(1)</script> film"


def texts_of(page: str) -> list[dict]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page)
    return json.loads(found[1])["texts"]


def unpacked(text: str, *shape: int) -> np.ndarray:
    roots = np.frombuffer(zlib.decompress(base64.b64decode(text)), np.uint8) / 255
    return (roots**2).reshape(shape)


def test_the_page_holds_the_weights_of_the_model(pretrained):
    (shown,) = texts_of(explain([(TEXT, None)], str(pretrained)))
    text = capture_text(TEXT, model=str(pretrained))
    layers, heads, tokens, _ = text["attention"].shape
    assert shown["tokens"] == text.tokens["token"].tolist()
    # Half a step of 255 in the square root.
    near = {"atol": 1 / 255, "rtol": 0}
    found = unpacked(shown["attention"], layers, heads, tokens, tokens)
    np.testing.assert_allclose(found, text["attention"], **near)
    rows = {
        method: unpacked(packed, layers, tokens, tokens) for method, packed in shown["rows"].items()
    }
    raw = head_mean(text["attention"])
    np.testing.assert_allclose(rows["raw"], raw, **near)
    rollout = attention_rollout(with_residual(raw, 0.5))
    np.testing.assert_allclose(rows["rollout"], rollout, **near)
    assert shown["sources"] == list(range(tokens))
    for method in ("vectors", "flow"):
        np.testing.assert_allclose(rows[method].sum(axis=-1), 1, atol=tokens / 255)
    assert shown["removed"] is None  # without a task


def test_removing_a_token_lowers_the_probability_by_as_much(tmp_path, make_model, tokenizer):
    wide = {"initializer_range": 0.4}  # so that tokens matter
    make_model("bert", "ForSequenceClassification", **wide).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    (shown,) = texts_of(explain([(TEXT, None)], str(tmp_path)))
    place = shown["tokens"].index("not")
    without = capture_text(TEXT.replace("not", "[MASK]"), model=str(tmp_path)).example
    whole = capture_text(TEXT, model=str(tmp_path)).example
    same = without["prediction"] == whole["prediction"]
    kept = without["probability"] if same else 1 - without["probability"]
    assert shown["removed"][place] == pytest.approx(whole["probability"] - kept, abs=1e-5)
    assert abs(shown["removed"][place]) > 1e-3
    assert shown["removed"][0] == 0  # [CLS] stays


def test_a_language_model_chooses_among_words_and_tokens_are_deleted(decoder):
    """Its tokenizer has no mask; what is left of the text is what the model reads then."""
    text = "The keys near the cabinet"
    words = ("was", "were")
    (shown,) = texts_of(explain([(text, None)], str(decoder), words=words))
    whole = capture_text(text, model=decoder, words=words).example
    assert shown["prediction"]["label"] == words[whole["prediction"]]
    assert shown["prediction"]["removal"] == "delete"
    without = capture_text("The keys the cabinet", model=decoder, words=words).example
    kept = without["probability"]
    kept = kept if without["prediction"] == whole["prediction"] else 1 - kept
    place = shown["tokens"].index("near")
    assert shown["removed"][place] == pytest.approx(whole["probability"] - kept, abs=1e-5)
    assert shown["removed"][0] == 0  # the token that every text begins with stays


def test_words_are_given_on_the_command_line(decoder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = ["explain", "The keys", "--model", str(decoder), "--word", "was", "--word", "were"]
    ran = CliRunner().invoke(app, given)
    assert ran.exit_code == 0
    (shown,) = texts_of((tmp_path / "explained.html").read_text(encoding="utf-8"))
    assert shown["prediction"]["label"] in ("was", "were")


def test_a_label_without_a_name_is_shown_by_its_number(tmp_path, make_model, tokenizer):
    model = make_model("bert", "ForSequenceClassification")
    for part in (model, tokenizer):
        part.save_pretrained(tmp_path)
    file = tmp_path / "config.json"
    names = {"id2label": {"1": "a", "2": "b"}, "label2id": {"a": 1, "b": 2}}
    file.write_text(json.dumps(json.loads(file.read_text()) | names), encoding="utf-8")
    with torch.no_grad():
        model.classifier.bias[:] = torch.tensor([9.0, 0.0])
    model.save_pretrained(tmp_path / "other")
    (tmp_path / "model.safetensors").write_bytes(
        (tmp_path / "other" / "model.safetensors").read_bytes()
    )
    (shown,) = texts_of(explain([(TEXT, None)], str(tmp_path)))
    assert shown["prediction"]["label"] == "0"


def test_removals_that_take_long_are_announced(
    tmp_path, make_model, tokenizer, monkeypatch, capsys
):
    make_model("bert", "ForSequenceClassification").save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    explain([(TEXT, None)], str(tmp_path))
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("analysis.explain.LONG", 0)
    explain([(TEXT, None)], str(tmp_path))
    assert "The prediction without each of 6 tokens takes about 0.0 minutes." in (
        capsys.readouterr().err
    )


def test_the_page_asks_for_nothing_and_markup_in_a_text_is_text(pretrained):
    page = explain([(MARKUP, None), ("bad!", "a dull plot")], str(pretrained))
    assert not re.search(r"(src|href)=[\"'](?!data:)|@import|url\(|fetch\(|XMLHttpRequest", page)
    assert "<script>alert" not in page
    alone, pair = texts_of(page)
    assert alone["text"] == MARKUP
    assert len(pair["tokens"]) == 8


def test_languages_say_the_same_things():
    page = (HERE / "page.html").read_text(encoding="utf-8")
    asked = re.findall(r"\bsay\(\"(\w+)\"|data-word=\"(\w+)\"", page)
    assert {one or other for one, other in asked} <= set(messages("en"))
    assert messages("en") == messages("ja")


def messages(language: str) -> dict[str, set[str]]:
    """Names of the messages, with the values that each takes."""
    text = (HERE / f"{language}.ftl").read_text(encoding="utf-8")
    return {
        name: set(re.findall(r"\{ \$(\w+) \}", said))
        for name, said in re.findall(r"^(\w+) = (.*)$", text, re.M)
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
    second, third, fifth = done.stderr.splitlines()
    assert second.startswith("warning: text 2 is left out: the text has ")
    assert third.startswith(f"warning: {line}3 is left out: the text has ")
    assert fifth.startswith(
        f"warning: {line}5 is left out: the text '\\x00' has no token the model"
    )


def test_where_no_line_is_left_nothing_is_written(tmp_path, pretrained):
    done, output, line = explained(tmp_path, pretrained, b"\n" + (b"film " * 600 + b"\n") * 2)
    assert [one.partition(" is left")[0] for one in done.stderr.splitlines()] == [
        f"warning: {line}2",
        f"warning: {line}3",
    ]
    assert isinstance(done.exception, InputError)
    assert str(done.exception).startswith("none of the 2 texts can be read by ")
    assert not output.exists()


def test_a_line_break_in_a_text_is_a_space(pretrained):
    (shown,) = texts_of(explain([("the\n\nfilm\tis bad", None)], str(pretrained)))
    assert shown["text"] == "the film is bad"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "0 texts are given; allowed: one or more, or exactly one with --pair"),
        (["a", "b", "--pair", "c"], "2 texts are given with a pair"),
        (["--file", "nowhere.txt"], "--file is nowhere.txt, which cannot be read"),
        (["a", "b \udcff"], "text 2 holds bytes that are not UTF-8; write it in UTF-8."),
        (["a", "--pair", "b \udcff"], "--pair holds bytes that are not UTF-8"),
        (["a", "--output", "nowhere/page.html"], "whose directory does not exist"),
    ],
)
def test_mistakes_are_told_in_a_sentence(arguments, said):
    error = CliRunner().invoke(app, ["explain", *arguments]).exception
    assert isinstance(error, InputError)
    assert said in str(error)


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


def test_an_encoder_decoder_is_sent_to_the_library(tmp_path, make_model, tokenizer):
    make_model("t5").save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    with pytest.raises(InputError, match=r"an encoder-decoder \(t5\).*with capture_text"):
        explain([("a dull plot", None)], str(tmp_path))
