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
from analysis.explain import LANGUAGES, explain
from analysis.methods.attention import head_mean
from analysis.methods.rollout import attention_rollout

TEXT = "the film was not very good"


@pytest.fixture(scope="module")
def classifier(tmp_path_factory, make_model, tokenizer):
    path = tmp_path_factory.mktemp("classifier")
    make_model("bert", "ForSequenceClassification").save_pretrained(path)
    tokenizer.save_pretrained(path)
    return path


def data_of(page: str) -> dict:
    return json.loads(
        re.search(r'<script type="application/json" id="data">(.*?)</script>', page)[1]
    )


def unpacked(text: str, *shape: int) -> np.ndarray:
    return (
        np.frombuffer(zlib.decompress(base64.b64decode(text)), np.uint8).reshape(shape) / 255
    ) ** 2


def test_the_page_holds_the_weights_of_the_model(pretrained):
    (shown,) = data_of(explain([(TEXT, None)], str(pretrained)))["texts"]
    text = capture_text(TEXT, model=str(pretrained))
    layers, heads, tokens, _ = text["attention"].shape
    assert shown["tokens"] == text.tokens["token"].tolist()
    # Half a step of 255 in the square root.
    near = {"atol": 1 / 255, "rtol": 0}
    np.testing.assert_allclose(
        unpacked(shown["attention"], layers, heads, tokens, tokens), text["attention"], **near
    )
    raw = head_mean(text["attention"])
    expected = {"raw": raw, "rollout": attention_rollout(raw, residual=0.5)}
    for method, matrices in expected.items():
        np.testing.assert_allclose(
            unpacked(shown["rows"][method], layers, tokens, tokens), matrices, **near
        )
    assert shown["sources"] == list(range(tokens))
    for method in ("vectors", "flow"):
        sums = unpacked(shown["rows"][method], layers, tokens, tokens).sum(axis=-1)
        np.testing.assert_allclose(sums, 1, atol=tokens / 255)


def test_without_a_task_nothing_is_removed(pretrained):
    (shown,) = data_of(explain([(TEXT, None)], str(pretrained)))["texts"]
    assert shown["removed"] is None


def test_removing_a_token_lowers_the_probability_by_as_much(classifier):
    (shown,) = data_of(explain([(TEXT, None)], str(classifier)))["texts"]
    place = shown["tokens"].index("not")
    without = capture_text(TEXT.replace("not", "[MASK]"), model=str(classifier)).example
    whole = capture_text(TEXT, model=str(classifier)).example
    kept = (
        without["probability"]
        if without["prediction"] == whole["prediction"]
        else 1 - without["probability"]
    )
    assert shown["removed"][place] == pytest.approx(whole["probability"] - kept, abs=1e-5)
    assert shown["removed"][0] == 0  # [CLS] stays


def test_the_page_asks_for_nothing(pretrained):
    page = explain([(TEXT, None), ("bad!", "a dull plot")], str(pretrained))
    assert not re.search(r"(src|href)=[\"'](?!data:)|@import|url\(|fetch\(|XMLHttpRequest", page)
    assert [len(text["tokens"]) for text in data_of(page)["texts"]] == [8, 8]


def test_markup_in_a_text_is_text(pretrained):
    page = explain([("the </script><script>alert(1)</script> film", None)], str(pretrained))
    assert "<script>alert" not in page
    assert data_of(page)["texts"][0]["text"] == "the </script><script>alert(1)</script> film"


def test_languages_say_the_same_things():
    page_words = [set(re.findall(r"\bsay\(\"(\w+)\"|data-word=\"(\w+)\"", page_source()))]
    asked = {one or other for pair in page_words for one, other in pair}
    for language in LANGUAGES:
        assert asked <= set(messages(language))
    assert messages("en") == messages("ja")


def page_source() -> str:
    from analysis.explain import HERE

    return (HERE / "page.html").read_text(encoding="utf-8")


def messages(language: str) -> dict[str, set[str]]:
    from analysis.explain import HERE

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
    shown = data_of(output.read_text(encoding="utf-8"))["texts"]
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
