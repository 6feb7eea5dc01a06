"""The page of one text: whole, quiet, and with the numbers of the model."""

import base64
import json
import re
import zlib

import numpy as np
import pytest
from typer.testing import CliRunner

from analysis.__main__ import app
from analysis.capture import capture_text
from analysis.errors import InputError
from analysis.explain import HERE, explain
from analysis.methods.attention import head_mean
from analysis.methods.rollout import attention_rollout

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
    np.testing.assert_allclose(rows["rollout"], attention_rollout(raw, residual=0.5), **near)
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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "0 texts are given; allowed: one or more, or exactly one with --pair"),
        (["a", "b", "--pair", "c"], "2 texts are given with a pair"),
        (["--file", "nowhere.txt"], "--file is nowhere.txt, which cannot be read"),
        (["a", "--output", "nowhere/page.html"], "whose directory does not exist"),
    ],
)
def test_mistakes_are_told_in_a_sentence(arguments, said):
    error = CliRunner().invoke(app, ["explain", *arguments]).exception
    assert isinstance(error, InputError)
    assert said in str(error)
