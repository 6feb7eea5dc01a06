"""The linter of what is written, on sentences made to be found; ``make lint`` runs it on ours."""

import re
import shutil
from functools import partial

import pytest

from analysis.lint import written as lint
from analysis.lint.__main__ import main

FRONT = '---\nnumber-offset: [3]\ntitle: "Mixing"\n---\n\n'
FIGURE = "\n\n::: {#fig-a}\n{{< embed x >}}\n\nA caption.\n:::\n\n"
OPENS = FRONT + "{{< var mixing.depth >}} ([@fig-a])." + FIGURE + "Go on to [heads](heads.qmd)."

experiment = {
    language: partial(lint.experiment_names, typed=lint.typed_names(["reviews"], language))
    for language in ("en", "ja")
}
wording = {
    language: partial(lint.wording, better=lint.BETTER[language]) for language in ("en", "ja")
}
in_mixing = partial(lint.opening, name="mixing")
to_heads = partial(lint.hand_over, following="heads")
crowded = partial(lint.crowded, numbers={"a", "b", "c"})
of_reviews = partial(lint.experiment_in_figure, experiments=["reviews"])
listed = partial(lint.unlinked, listed=["index", "mixing", "heads"])


def lost(text):
    return lint.lost_links({"here": text, "there": "## B {#sec-b}\n"}, "here")


def beside(check, english):
    """Check of a Japanese text beside this English one."""
    return partial(check, english)


included = partial(lint.early_includes, directory=lint.ROOT / "report" / "en")
SHOWN = '::: {.content-visible when-meta="has.trained"}\n## A {#sec-a}\n:::\n'
ENGLISH_TERM = "[Head]{#term-head} ([ヘッド])\n"
OUTCOMES = "a = { $outcome ->\n    [holds] Yes.\n   *[fails] No.\n }\n"

# A check, a text in which it finds something, where and what, and the same text put right.
FOUND = {
    "a turn that is not written": (
        wording["en"],
        "One.\nAs to heads, none.",
        (2, "“As to” is not written here; write: the subject of the sentence."),
        "One.\n`As to` heads, none.",
    ),
    "another word for a thing": (
        wording["ja"],
        "アテンション。",
        (1, "write: 注意."),
        "「アテンション」。",
    ),
    "the tone of a letter": (wording["ja"], "$x$\n図です。", (2, "write: である."), "図である。"),
    "an experiment by name": (
        experiment["en"],
        "In experiment reviews it is.",
        (1, "names an experiment"),
        "In experiment {{< var a.reviews >}} it is.",
    ),
    "an experiment by name in Japanese": (
        experiment["ja"],
        "実験\nreviews では",
        (2, "names an experiment"),
        "文法 reviews と `reviews`",
    ),
    "emphasis that stays open": (
        lint.open_emphasis,
        "これは**「強調」**です",
        (1, "shows its asterisks"),
        "これは「**強調**」です",
    ),
    "a section without an id": (
        lint.unnamed_sections,
        "```\n## code\n```\n## A",
        (4, "has no id"),
        "## A {#sec-a}\n\n::: {.callout-note}\n## Title\n:::",
    ),
    "a bare reference": (lint.bare_references, "a\n図 @fig-aを", (2, "@fig-aを"), "図 [@fig-a]を"),
    "brackets of a span that are a link": (
        lint.lost_spaces,
        '[@fig-a][x]{.content-visible when-meta="has.a"}',
        (1, "is a link"),
        '[@fig-a] [x]{.content-visible when-meta="has.a"}',
    ),
    "a last space that is lost": (
        lint.lost_spaces,
        'A. [B. ]{.content-visible when-meta="has.a"}',
        (1, "loses its last space"),
        'A. [B.]{.content-visible when-meta="has.a"} ',
    ),
    "a first space that is lost": (
        lint.lost_spaces,
        'A.[ B.]{.content-visible when-meta="has.a"}',
        (1, "loses its first space"),
        'A. [B.]{.content-visible when-meta="has.a"}',
    ),
    "a result that is typed": (
        lint.typed_results,
        FRONT + "It is 41% of 2, `7`, $8$ and GPT-2.",
        (6, "41 is typed"),
        FRONT + "It is {{< var a.b >}}% of 2, [a](x9) and SQuAD 2.0, in 0.5.\n 3. Item",
    ),
    "a chapter without a finding": (
        in_mixing,
        FRONT + "Words [@fig-a]." + FIGURE,
        (6, "opens with no finding"),
        OPENS,
    ),
    "a finding without its figure": (
        in_mixing,
        FRONT + "{{< var mixing.depth >}}." + FIGURE,
        (6, "refers to no figure"),
        OPENS,
    ),
    "a chapter that leads nowhere": (to_heads, FRONT + "A.\n\nB.", (8, "heads.qmd"), OPENS),
    "a figure that nobody speaks of": (
        lint.unspoken,
        FRONT + "Words." + FIGURE + "[@fig-ab]",
        (8, "No sentence speaks of fig-a;"),
        OPENS,
    ),
    "a page that cannot be reached": (
        listed,
        FRONT + "[a](mixing.qmd)",
        (1, "does not lead to heads.qmd"),
        FRONT + "[a](mixing.qmd) and [b](heads.qmd#sec-a)",
    ),
    "a reference to nothing": (lost, "a\n[@fig-a]", (2, "fig-a is on no page"), "[@sec-b]"),
    "a link to what only some runs have": (
        lost,
        SHOWN + "\n[a](#sec-a)",
        (5, "leads nowhere"),
        "## A {#sec-a}\n\n[a](#sec-a) and [b](there.qmd#sec-b)",
    ),
    "a link to no page": (lost, "[a](nowhere.qmd)", (1, "leads nowhere"), "[a](there.qmd)"),
    "another order of labels": (
        beside(lint.other_skeleton, "{#fig-a}\n{#fig-b}"),
        "{#fig-b}\n{#fig-a}",
        (1, "Of labels there is fig-b where English has fig-a"),
        "{#fig-a} {#fig-b}",
    ),
    "a section that one language lacks": (
        beside(lint.other_skeleton, "# A {#a}\n## B {#b}"),
        "# A {#a}",
        (1, "Of sections there is none where English has ##"),
        "# あ {#a}\n## い {#b}",
    ),
    "a number that one language lacks": (
        beside(lint.other_skeleton, "{{< var a.b >}}"),
        "なし",
        (1, "Of variables, a.b is used by one language alone"),
        "{{< var a.b >}} と {{< var a.b >}}",
    ),
    "a term with two names": (
        beside(lint.glossary, ENGLISH_TERM),
        "[頭]{#term-head}（[head]）",
        (1, "The term head is 頭 here and ヘッド in English"),
        "[ヘッド]{#term-head}（[head]）",
    ),
    "a term that one glossary lacks": (
        beside(lint.glossary, ENGLISH_TERM),
        "[層]{#term-layer}（[layer]）",
        (1, "hold other terms"),
        "[ヘッド]{#term-head}（[head]）",
    ),
    "Japanese among English messages": (
        partial(lint.other_language, language="en"),
        "a = A\nb = マップ",
        (2, "is Japanese"),
        "a = A",
    ),
    "an alternative text in English": (
        partial(lint.other_language, language="ja"),
        "a = A\nalt_map =\n    A map.\n",
        (2, "alt_map has no kana"),
        "a = A\nalt_map =\n    A\n\n    マップ\n",
    ),
    "a sentence of three numbers": (
        crowded,
        "x = A { $a }. B { $b } and { $c_low }, { $a }.",
        (1, "more than two measured numbers"),
        "x = { $a }, { $b }. { $c }, { $d }, { $e }\n    .values = { $a }\ny = { $ab }",
    ),
    "a message that one language lacks": (
        beside(lint.other_messages, "a = A\nb = B\n"),
        "a = あ\n",
        (1, "differ from English in b"),
        "a = あ\nb = い\n",
    ),
    "an argument that is called otherwise": (
        beside(lint.other_messages, "a = { $one }\n"),
        "a = { $other }\n",
        (1, "a has other arguments"),
        "a = { $one } と { $other }\n",
    ),
    "outcomes that one language does not know": (
        beside(lint.other_messages, OUTCOMES),
        OUTCOMES.replace("holds", "open"),
        (1, "a tells other outcomes of $outcome apart"),
        "a = いつも { $outcome }\n",
    ),
    "an attribute that one language lacks": (
        beside(lint.other_messages, "a = A\n    .question = whether A\n"),
        "a = あ\n",
        (1, "a has .question in one language alone"),
        "a = あ\n    .question = あかどうか\n",
    ),
    "what is no message": (
        beside(lint.other_messages, "a = A\n"),
        "a = A\nb == {\n",
        (2, "is no message"),
        "a = A\n",
    ),
    "Japanese in the code": (
        lint.japanese_strings,
        'a = 1\nb = "図"',
        (2, "is Japanese in the code"),
        '"""図."""\nraise InputError("図")',
    ),
    "an include of what is laid out": (
        included,
        "One.\n\n{{< include _api.md >}}\n",
        (3, "_api.md is not in the repository"),
        "`{{< include _api.md >}}`\n\n{{< include advice.qmd >}}\n\n{{< laid-out _api.md >}}\n",
    ),
    "a sentence in the code": (
        lint.english_sentences,
        'a = "Each head has its own map"',
        (1, "is a sentence in the code"),
        'echo("Each head has its own map")\nb = "each head has its"',
    ),
    "a figure of one experiment": (
        of_reviews,
        'a = 1\nrows = curves(experiment="reviews")',
        (2, "draws one experiment by name"),
        "rows = curves(experiment=chosen)",
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_what_is_wrong_is_told_with_its_line_and_what_is_right_is_not(name):
    check, wrong, (line, told), right = FOUND[name]
    found = list(check(wrong))
    assert {number for number, sentence in found if told in sentence} == {line}, found
    assert all(re.search(r"[.;]", sentence) and "\n" not in sentence for _, sentence in found)
    assert not list(check(right))


# Files, what is put at their end, and what is said of it: a check of every kind is run.
PLANTED = {
    "README.md": ("\nAs to heads.\n", "“As to”"),
    "README.ja.md": ("\nこれは**「強調」**だ\n", "asterisks"),
    "report/en/mixing.qmd": ("\nIt is 41%.\n", "41 is typed"),
    "report/en/library.qmd": ("\n{{< include files/a.md >}}\n", "not in the repository"),
    "report/ja/mixing.qmd": ("\n図 @fig-scopesを\n", "stands bare"),
    "report/ja/messages/mixing.ftl": ("\nplanted = 図\n", "planted"),
    "report/en/messages/heads.ftl": ("\nplanted = マップ\n", "is Japanese"),
    "attention_mixing/messages.py": ("\nPLANTED = 'マップ'\n", "Japanese in the code"),
    "analysis/chapters/setup/figures.py": (
        "\nPLANTED = 'each head has its own map'\n",
        "sentence in",
    ),
}


def test_all_that_is_written_is_looked_at(tmp_path, monkeypatch, capsys):
    for folder in ("analysis", "attention_mixing", "report"):
        shutil.copytree(lint.ROOT / folder, tmp_path / folder)
    for name in ("README.md", "README.ja.md", "CONTRIBUTING.md", "params.yaml"):
        shutil.copyfile(lint.ROOT / name, tmp_path / name)
    for name, (text, _) in PLANTED.items():
        with (tmp_path / name).open("a", encoding="utf-8") as file:
            file.write(text)
    monkeypatch.setattr(lint, "ROOT", tmp_path)
    assert main() == 1
    found = capsys.readouterr().out.splitlines()
    for name, (_, told) in PLANTED.items():
        assert [one for one in found if one.startswith(f"{name}:") and told in one], (name, found)
