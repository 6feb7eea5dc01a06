"""What pages state: every finding has a sentence in both languages, whatever comes out."""

import json
import re
from itertools import product
from pathlib import Path

import pytest

from analysis.chapters.findings.prose import sentence, stated
from analysis.prose.messages import sentences, sentences_file
from analysis.prose.phrases import listed
from analysis.rules.rule import read
from analysis.rules.verdicts import OUTCOMES, UNTESTED
from attention_mixing.measures import groups

ROOT = Path(__file__).parents[2]
RULES = read(ROOT / "report" / "rules.yaml")
FINDINGS = [rule for rule in RULES if rule.claim is None]
CHAPTERS = sorted({rule.chapter for rule in FINDINGS})
LANGUAGES = ("en", "ja")
JAPANESE = re.compile("[ぁ-んァ-ヶ一-龠]")
BROKEN = re.compile(r"[{}$]|\bnan\b|\bNone\b(?! of)|  |\.\.|、。|。。| ,")
# None, one and all of what is counted; the same at both ends, and a wide range.
EDGES = ((0.0, 0.0), (1.0, 1.0), (0.004, 0.06), (0.31, 0.92))


def made(rule, outcome, parts, choices, ends):
    """A finding as the stage ``rules`` would write it."""
    low, high = ends
    return {
        "id": rule.id,
        "outcome": outcome,
        "untested": "undefined" if outcome == "not_tested" else None,
        "parts": dict(zip(parts_of(rule), parts, strict=True)),
        "tally": {part: {"held": 1, "cases": 2} for part in [*parts_of(rule), "outcome"]},
        "choices": dict(zip(rule.choices, choices, strict=True)),
        "numbers": {
            name: {
                "states": {"both": state(low, high)},
                "form": number.form,
                "learned": True,
            }
            for name, number in rule.numbers.items()
        },
        "cases": [],
        "models": [
            {"encoder": "small", "trained": name, "outcome": one, "parts": {}}
            for name, one in ((None, outcome), ("films", "holds"), ("verbs", "fails"))
        ],
        "experiments": ["films", "large/verbs"],
        "run": {"experiments": 2, "states": 4},
    }


def state(low, high):
    """A number in one model state, of two experiments, the second of a reference run."""
    ends = {"low": low, "low_of": "films", "high": high, "high_of": "large/verbs"}
    return {"typical": (low + high) / 2} | ends


def parts_of(rule):
    """Names of its parts, or of those of the rule that covers it."""
    rules = [one for one in RULES if one.id in (rule.like, rule.id)]
    return list(dict.fromkeys(case.name for one in rules for case in one.cases if case.name))


def every(rule):
    """What may come out: any range, each part alone, as all others hold, and each choice alone."""
    named = parts_of(rule)
    options = [(*one.among, "close", "depends", "none") for one in rule.choices.values()]
    first = [one[0] for one in options]
    for outcome in OUTCOMES:
        for part, ends in product(OUTCOMES, EDGES):
            yield made(rule, outcome, [part] * len(named), first, ends)
        for part, at in product(OUTCOMES, range(len(named))):
            mixed = ["holds"] * at + [part] + ["fails"] * (len(named) - at - 1)
            yield made(rule, outcome, mixed, first, EDGES[-1])
        for at, names in enumerate(options):
            for name in names:
                chosen = [*first[:at], name, *first[at + 1 :]]
                yield made(rule, outcome, [outcome] * len(named), chosen, EDGES[-1])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_finding_has_a_sentence_for_whatever_comes_out(chapter, language):
    w = sentences(language, chapter)
    for finding in (one for rule in FINDINGS if rule.chapter == chapter for one in every(rule)):
        text = sentence(finding, w)
        assert text.strip(), finding
        assert not BROKEN.search(text), (finding, text)
        # The same twice is no range.
        assert not re.search(r"(?<![\d.])([\d.]+%?)[–〜]\1(?![\d.])", text), (finding, text)
        assert text[-1] not in ".。", (finding, text)
        if any(map(str.isalpha, text)):
            assert bool(JAPANESE.search(text)) == (language == "ja"), text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_run_of_decoders_alone_is_told_of_nothing_that_encoders_have(language):
    """Parts and numbers that are asked of some models only are not there in a run without them."""
    by_id = {rule.id: rule for rule in RULES}
    said = 0
    for rule in FINDINGS:
        cases = by_id[rule.like or rule.id].cases
        numbers, parts = (
            {name for name, one in asked if one.over is not None and one.over.causal is False}
            for asked in (rule.numbers.items(), ((case.name, case) for case in cases))
        )
        if not numbers or rule.over.causal is False:
            continue
        w = sentences(language, rule.chapter)
        for finding in every(rule):
            finding["numbers"] = finding["numbers"] | dict.fromkeys(numbers)
            finding["parts"] = finding["parts"] | dict.fromkeys(
                parts & finding["parts"].keys(), "not_tested"
            )
            text = sentence(finding, w)
            assert "[CLS]" not in text and not BROKEN.search(text), (finding, text)
            said += 1
    assert said > 100


# The sentence stands under a condition that only an experiment of the kind meets, or beside another
# one of the same reason.
REASON_ELSEWHERE = {"faithfulness.solved", "heads.spared"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_on_what_was_not_tested_gives_the_reason(language):
    """What explains a prediction was measured all the same where no model has learned its task."""
    by_id = {rule.id: rule for rule in RULES}
    said = 0
    for finding in FINDINGS:
        read = (*by_id[finding.like or finding.id].cases, *finding.choices.values())
        if {groups().get(one.measure) for one in read} != {
            "explain"
        } or finding.id in REASON_ELSEWHERE:
            continue
        w = sentences(language, finding.chapter)
        untested = made(
            finding,
            "not_tested",
            ["not_tested"] * len(parts_of(finding)),
            ["none"] * len(finding.choices),
            EDGES[0],
        )
        for reason in UNTESTED:
            why = w.say("untested", reason=reason)
            assert why and why in sentence(untested | {"untested": reason}, w), finding.id
            said += 1
    assert said > 10 * len(UNTESTED)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_not_tested_is_said_of_every_finding_alike(language):
    asked, frames = 0, set()
    for rule in FINDINGS:
        w = sentences(language, rule.chapter)
        message = rule.id.replace(".", "_").replace("-", "_")
        if "untested" not in w.attributes(message):
            continue
        parts, choices = ["not_tested"] * len(parts_of(rule)), ["none"] * len(rule.choices)
        one = made(rule, "not_tested", parts, choices, EDGES[-1])
        before = w.say("before_tuning", trained="yes")
        question = w.say(f"{message}.untested", before_tuning=before)
        begin, _, end = sentence(one, w).partition(question)
        assert not begin and end, rule.id
        frames.add(re.split("[:。]", end)[0])
        asked += 1
    assert asked > 60
    assert len(frames) == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_reference_runs_leave_open_names_them(language):
    """Else the numbers beside it read as those of this run."""
    for name in ("heads.next-words",):
        (rule,) = (rule for rule in FINDINGS if rule.id == name)
        one = made(rule, "open", ["open"] * len(parts_of(rule)), [], EDGES[-1])
        one["cases"] = [{"case": None, "decides": True, "experiment": "squad/squad"}]
        w = sentences(language, rule.chapter)
        assert w.say("source_runs", own="no", n=1, runs="squad") in sentence(one, w)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_is_written_for_what_no_rule_decides(language):
    asked = {rule.id.replace(".", "_").replace("-", "_") for rule in FINDINGS}
    for chapter in CHAPTERS:
        stated = sentences_file(language, chapter).read_text("utf-8")
        referred = set(re.findall(r"\{ (\w+) \}", stated))
        own = set(re.findall(r"^(\w+) =", stated, re.M))
        assert own and own <= asked | referred, chapter


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["solved", "zeroed", "depth"])
def test_what_only_some_experiments_tell_is_said_with_their_names(name, language):
    w = sentences(language, "faithfulness")
    (rule,) = (rule for rule in FINDINGS if rule.id == f"faithfulness.{name}")
    for outcome in set(OUTCOMES) - {"not_tested"}:
        one = made(rule, outcome, [outcome] * len(parts_of(rule)), [], EDGES[-1])
        alone = sentence(one | {"experiments": ["verbs"]}, w)
        both = sentence(one | {"experiments": ["verbs", "large/nouns"]}, w)
        if language == "en":
            assert "the experiment verbs" in alone
            assert "the experiments verbs and nouns" in both
        else:
            assert "実験 verbs で" in alone
            assert "実験 verbs、nouns で" in both


OTHERS = {
    "en": r"[Bb]efore fine-tuning|every experiment|every model state",
    "ja": "ファインチューニング前のモデル|どの実験でも|どのモデルの状態でも",
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_run_of_one_untrained_model_is_told_of_no_other(chapter, language):
    w = sentences(language, chapter)
    for rule in FINDINGS:
        trained = rule.over.trained or rule.variants == ["finetuned"]
        if rule.chapter == chapter and not trained:
            for finding in every(rule):
                one = {"run": {"experiments": 1, "states": 1}, "models": finding["models"][:1]}
                text = sentence(finding | one, w)
                assert not re.search(OTHERS[language], text), (finding, text)
                assert not BROKEN.search(text), (finding, text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_token_is_isolated_where_none_is_mixed(language):
    """Neither is the first token, of which 1% comes from others, beside the same 1%."""
    rules = [rule for rule in FINDINGS if rule.id.endswith(".isolated")]
    assert rules
    for rule in rules:
        assert set(parts_of(rule)) == {"isolated", "apart"}
        hardly = made(rule, "divided", ["holds", "fails"], [], (0.01, 0.01))
        text = sentence(hardly, sentences(language, rule.chapter))
        assert "1%" not in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_that_a_claim_covers_turns_with_it(language):
    for rule in (rule for rule in FINDINGS if rule.like):
        w, parts = sentences(language, rule.chapter), len(parts_of(rule))
        first = [one.among[0] for one in rule.choices.values()]
        fails, holds = (
            sentence(made(rule, outcome, [outcome] * parts, first, EDGES[-1]), w)
            for outcome in ("fails", "holds")
        )
        assert fails != holds, rule.id


def said(chapter, finding, w):
    """What the page of a chapter says of its only finding, by name."""
    path = Path("results", "rules", f"{chapter}.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([finding]), encoding="utf-8")
    return stated(chapter, w)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_number_of_two_states_is_told_of_each(language, here):
    rule = next(one for one in FINDINGS if one.id == "mixing.tuned")
    w = sentences(language, "mixing")
    one = made(rule, "holds", ["holds"] * len(parts_of(rule)), [], EDGES[1])
    states = {"pretrained": 0.31, "finetuned": 0.92}
    for after in (0.92, 0.31):
        states["finetuned"] = after
        of = {name: state(at, at) for name, at in states.items()}
        one["numbers"]["mixed"]["states"] = of
        both = w.say("number_states", before="31%", after="92%")
        assert said("mixing", one, w)["tuned-mixed"] == ("31%" if after == 0.31 else both)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_number_of_models_that_have_not_learned_says_so(language, here):
    rule = next(one for one in FINDINGS if one.id == "mixing.tuned")
    w = sentences(language, "mixing")
    one = made(rule, "open", ["open"] * len(parts_of(rule)), [], EDGES[1])
    marked = w.say("number_unlearned", number="100%")
    for learned in (True, False):
        for number in one["numbers"].values():
            number["learned"] = learned
        assert said("mixing", one, w)["tuned-mixed"] == ("100%" if learned else marked)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_verdict_that_reference_runs_change_stands_beside_the_sentence(language, here):
    covered = next(rule for rule in FINDINGS if rule.id == "faithfulness.depth")
    w = sentences(language, "faithfulness")
    one = made(covered, "open", ["open"] * len(parts_of(covered)), [], EDGES[-1])
    for verdict in ("holds", "divided", "partly", "smaller", "fails", "open"):
        judged = one | {"like": {"id": "B1", "outcome": verdict}}
        text = said("faithfulness", judged, w)["depth"]
        assert text.startswith(sentence(one, w))
        assert ("B1" in text) == (verdict != "open")


@pytest.mark.parametrize("language", LANGUAGES)
def test_where_all_models_have_the_sign_the_sentence_says_how_many_have_the_size(language):
    (rule,) = (rule for rule in FINDINGS if rule.id == "mixing.lead")
    w = sentences(language, "mixing")
    sizes = {"some": ("holds", "smaller", "smaller"), "none": ("smaller",) * 3}
    for extent, outcomes in sizes.items():
        one = made(rule, "smaller", ["smaller", "smaller"], [], EDGES[-1])
        one["models"] = [
            {"encoder": str(i), "trained": None, "outcome": outcome}
            | {"parts": dict.fromkeys(one["parts"], outcome)}
            for i, outcome in enumerate(outcomes)
        ]
        text = sentence(one, w)
        assert bool(re.search(COUNTS[language], text)) == (extent == "some")
        assert (w.say("finding_smaller", finding="", extent="none") in text) == (extent == "none")


COUNTS = {"en": r"(\d) of (\d) models", "ja": r"(\d) モデル中 (\d) モデル"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_part_is_counted_in_the_models_that_it_was_measured_in(language):
    """Two of six: one of three that were pretrained, and two of three that were fine-tuned."""
    (rule,) = (rule for rule in FINDINGS if rule.id == "mixing.lead")
    one = made(rule, "divided", ["divided", "divided"], [], EDGES[-1])
    outcomes = {"before": ("holds", "fails", "fails"), "after": ("holds", "holds", "fails")}
    one["models"] = [
        {"encoder": str(i), "trained": None, "outcome": outcome, "parts": {part: outcome}}
        for part, of_part in outcomes.items()
        for i, outcome in enumerate(of_part)
    ]
    text = sentence(one, sentences(language, "mixing"))
    found = [sorted(map(int, numbers)) for numbers in re.findall(COUNTS[language], text)]
    assert found == [[1, 3], [2, 3]]
    one["parts"]["before"] = "fails"
    text = sentence(one, sentences(language, "mixing"))
    assert [sorted(map(int, n)) for n in re.findall(COUNTS[language], text)] == [[2, 3]]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_head_costs_at_most_is_what_an_experiment_shows(language):
    """Neither a median of two experiments, nor a number without its run."""
    w = sentences(language, "heads")
    for name in ("carry", "next-words"):
        (rule,) = (rule for rule in FINDINGS if rule.id == f"heads.{name}")
        for outcome in ("holds", "divided", "fails", "open"):
            one = made(rule, outcome, [outcome] * len(parts_of(rule)), [], (-0.47, -0.27))
            for number in one["numbers"].values():
                number["states"]["both"] |= {"low_of": "large/verbs", "high_of": "films"}
            text = sentence(one, w)
            assert "47" in text and "37" not in text
            assert w.say("of_experiment", name="verbs", run="large") in text
            for number in one["numbers"].values():
                number["states"]["both"] |= {"low_of": "films"}
            assert w.say("of_experiment", name="films", run="this") in sentence(one, w)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_part_that_reference_runs_decide_names_them(language):
    w = sentences(language, "heads")
    (rule,) = (rule for rule in FINDINGS if rule.id == "heads.carry")
    one = made(rule, "holds", ["holds", "fails"], [], EDGES[-1])
    case = {"case": "answers", "decides": True}
    for experiments, own, runs in (
        (["questions"], None, None),
        (["squad/squad"], "no", ["squad"]),
        (["questions", "squad/squad", "large/questions"], "yes", ["squad", "large"]),
    ):
        one["cases"] = [case | {"experiment": name} for name in experiments]
        one["cases"] += [{"case": "classes", "decides": False, "experiment": "imdb/imdb"}]
        text = sentence(one, w)
        assert "imdb" not in text
        assert ("squad" in text) == bool(runs)
        if runs:
            assert w.say("source_runs", own=own, n=len(runs), runs=listed(runs, w)) in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_values_stand_where_only_their_difference_was_not_tested(language):
    (rule,) = (rule for rule in FINDINGS if rule.id == "mixing.tuned")
    w = sentences(language, "mixing")
    one = made(rule, "holds", ["not_tested", "holds"], [], EDGES[-1])
    why = w.say("untested", reason="undefined")
    states = {"pretrained": state(0.56, 0.56), "finetuned": state(0.86, 0.86)}
    one["numbers"]["mixed"]["states"] = states
    text = sentence(one, w)
    assert "56%" in text and "86%" in text and why in text
    one["numbers"]["mixed"] = None
    text = sentence(one, w)
    assert "86%" not in text and why in text
