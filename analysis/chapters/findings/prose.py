"""What a chapter states: its findings (``results/rules``) in the words of its language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from IPython.display import HTML

from analysis.paths import result
from analysis.prose.messages import page_link, sentences, stale_mark, stating, words
from analysis.prose.phrases import NOTHING, listed, spread, written
from analysis.prose.recovered import recovered
from analysis.results.circuits import circuits_of_run
from analysis.results.notes import GIVEN, write_note
from analysis.runs.kept import control_run, run_of
from attention_mixing.artifacts import read_artifact
from attention_mixing.markup import escape, in_prose
from attention_mixing.messages import Words

# What is said in one way: that something holds in some models, or in some of its parts.
DIVIDED = frozenset({"divided", "partly"})


def stated(chapter: str, w: Words) -> dict[str, str]:
    """Say every finding of a chapter, by its name, and its numbers apart.

    The finding ``mixing.depth`` is the message ``mixing_depth``. Its arguments are the ``outcome``,
    that of every part and what was chosen, by their names, and the ``experiments`` that it was
    measured in. ``in_every_experiment``, ``in_every_state``, ``before_tuning``, ``models_before``
    and ``and_tuning`` are empty where the run has one of the kind or trains no model. Of every
    number ``NAME`` there is the typical value over experiments, its range (``NAME_range``), both
    before fine-tuning and after it where they are of both, the former and the latter alone
    (``NAME_pretrained``, ``NAME_finetuned``), and the ends of the range (``NAME_low``,
    ``NAME_high``) with the experiments that show them (``NAME_low_of``, ``NAME_high_of``). Where
    nothing was tested, ``untested`` is the reason and ``why`` the clause that says it. The typical
    values are ``FINDING-NUMBER`` besides, marked where they are of models that have not learned
    their task.
    Where a finding, or a part of it, holds in some models and not in others, ``outcome_models`` or
    ``PART_models`` has their numbers; else these are empty. ``outcome_cases`` and ``PART_cases``
    count what decides, and ``outcome_held`` and ``PART_held`` what of this holds.
    ``outcome_source`` and ``PART_source`` name the reference runs that decide it, and are empty
    where none does. Where it is like a claim that has another outcome with the reference runs, its
    sentence says so.
    """
    texts = {}
    for name, finding in findings(chapter).items():
        texts[name] = _beside_verdict(finding, sentence(finding, w), w)
        for number, values in finding["numbers"].items():
            if values is not None:
                worded = _numbers(number, values, w)
                for key in (number, f"{number}_pretrained", f"{number}_finetuned"):
                    typical = worded[key]
                    if not values["learned"]:
                        typical = w.say("number_unlearned", number=typical)
                    texts[f"{name}-{key}"] = typical
    return texts


def given(chapter: str) -> dict[str, bool]:
    """Tell of every number of the findings of a chapter whether this run has a value of it.

    They are named as by :func:`stated`: ``FINDING-NUMBER``.
    """
    return {
        f"{name}-{number}": values is not None
        for name, finding in findings(chapter).items()
        for number, values in finding["numbers"].items()
    }


def publish(language: str, directory: str) -> None:
    """Write what every chapter states, and the results it read, ``reads.json``.

    What it states is ``numbers.json``, and which of the numbers have a value, ``given.json``; all
    by chapter. The directory is made if it is not there.
    """
    target = Path(directory)
    target.mkdir(parents=True, exist_ok=True)
    texts = {
        chapter: {
            name: in_prose(text)
            for name, text in stated(chapter, sentences(language, chapter)).items()
        }
        for chapter in stating()
    }
    write_note(target, "numbers", texts)
    write_note(target, GIVEN, {chapter: given(chapter) for chapter in texts})
    write_note(target, "reads", {chapter: [_judged(chapter).as_posix()] for chapter in texts})


def findings(chapter: str) -> dict[str, dict[str, Any]]:
    """Read the findings of a chapter by their names, without that of the chapter."""
    judged = read_artifact(_judged(chapter), list[dict[str, Any]])
    return {rule["id"].partition(".")[2]: rule for rule in judged if "claim" not in rule}


def _judged(chapter: str) -> Path:
    return result("rules", f"{chapter}.json")


def sentence(finding: Mapping[str, Any], w: Words) -> str:
    """Say one finding, as :mod:`analysis.rules.judging` gives it."""
    parts = {name: _told(finding, name, outcome) for name, outcome in finding["parts"].items()}
    finding = {**finding, "parts": parts}
    if finding["outcome"] != "smaller":
        return _sentence(finding, w)
    # Said as what is there in some models, or in none, and that it has the sign.
    told = _told(finding, "outcome", "smaller")
    extent = "none" if told == "smaller" else "all"
    shown = {**finding, "outcome": "fails" if extent == "none" else told}
    return w.say("finding_smaller", finding=_sentence(shown, w), extent=extent)


def _told(finding: Mapping[str, Any], part: str, outcome: str) -> str:
    """Say of a part, or of the whole (``outcome``), that models differ where some reach its size.

    All have its sign there.
    """
    of_models = [{**model["parts"], "outcome": model["outcome"]} for model in finding["models"]]
    held = any(of_model.get(part) == "holds" for of_model in of_models)
    return "divided" if outcome == "smaller" and held else outcome


def _sentence(finding: Mapping[str, Any], w: Words) -> str:
    numbers = {
        key: text
        for name, values in finding["numbers"].items()
        if values is not None
        for key, text in _numbers(name, values, w).items()
    }
    message = finding["id"].replace(".", "_").replace("-", "_")
    # Those of a reference run are called RUN/NAME.
    names = [name.rpartition("/")[2] for name in finding["experiments"]]
    measured_in = w.say("in_experiments", n=len(names), names=listed(names, w))
    # A number may be called as a part of the claim that the finding is like.
    outcomes = finding["parts"] | {"outcome": finding["outcome"]}
    outcomes = {
        name: "divided" if outcome in DIVIDED else outcome for name, outcome in outcomes.items()
    }
    arguments = {**outcomes, **finding["choices"], **numbers, "outcome": outcomes["outcome"]}
    # A number may be of some models only, such as that of [CLS], which decoders do not have.
    arguments |= {
        f"with_{n}": "no" if values is None else "yes" for n, values in finding["numbers"].items()
    }
    arguments["experiments"] = measured_in
    arguments |= _in_models(finding, w)
    arguments |= {
        f"{name}_{count}": n for name, of in finding["tally"].items() for count, n in of.items()
    }
    arguments |= _sources(finding, w)
    arguments |= _extent(finding["run"], w)
    reason = finding["untested"]
    arguments["untested"] = reason or "tested"
    arguments["why"] = w.say("untested", reason=reason or "undefined")  # a part may have no value
    # Where nothing is decided, the default variant of a message has its numbers alone.
    if finding["outcome"] == "not_tested" and "untested" in w.attributes(message):
        question = w.say(f"{message}.untested", **arguments)
        return w.say("finding_not_tested", **arguments, question=question)
    return w.say(message, **arguments)


def _in_models(finding: Mapping[str, Any], w: Words) -> dict[str, str]:
    """Say in how many models each part holds that models differ in, and the finding as a whole.

    Each count is of the models that this part was measured in, before fine-tuning or after it.
    Where models do not differ, but parts or cases, none are counted.
    """
    parts, models = finding["parts"], finding["models"]
    of = {name: [m["parts"][name] for m in models if name in m["parts"]] for name in parts}
    outcomes = parts | {"outcome": finding["outcome"]}
    # Else the parts differ, as the sentence says, and not the models.
    between = not parts or not DIVIDED.isdisjoint(parts.values())
    of["outcome"] = [model["outcome"] for model in models] if between else []
    return {
        f"{name}_models": w.say("in_models", held=counted.count("holds"), of=len(counted))
        if outcomes[name] in DIVIDED
        else ""
        for name, counted in of.items()
    }


def _sources(finding: Mapping[str, Any], w: Words) -> dict[str, str]:
    """Name the runs that decide each part, and the finding; nothing where it is this run alone."""
    # What is kept of a reference run has no cases, and stands under its name.
    deciding = [case for case in finding.get("cases", ()) if case["decides"]]
    of = {name: [case for case in deciding if case["case"] == name] for name in finding["parts"]}
    of["outcome"] = deciding
    sources = {}
    for name, cases in of.items():
        runs = dict.fromkeys(run_of(case["experiment"]) for case in cases)
        kept = [run for run in runs if run is not None]
        own = "yes" if None in runs else "no"
        said = w.say("source_runs", own=own, n=len(kept), runs=listed(kept, w)) if kept else ""
        sources[f"{name}_source"] = said
    return sources


def _extent(run: Mapping[str, int], w: Words) -> dict[str, str]:
    """Say for what a finding holds, where the run that it is of has more than one."""
    trained = "yes" if run["states"] > run["experiments"] else "no"
    return {
        "in_every_experiment": w.say("in_every_experiment", n=run["experiments"]),
        "in_every_state": w.say("in_every_state", n=run["states"]),
        "before_tuning": w.say("before_tuning", trained=trained),
        "models_before": w.say("models_before", trained=trained),
        "and_tuning": w.say("and_tuning", trained=trained),
    }


def _beside_verdict(finding: Mapping[str, Any], text: str, w: Words) -> str:
    """Add the verdict of the ledger, where it is another than that of this run alone."""
    claim = finding.get("like")
    if claim is None or claim["outcome"] == finding["outcome"]:
        return text
    return w.say("finding_verdict", finding=text, claim=claim["id"], outcome=claim["outcome"])


def _numbers(name: str, values: Mapping[str, Any], w: Words) -> dict[str, str]:
    form, states = values["form"], list(values["states"].values())
    lowest = min(states, key=lambda state: state["low"])
    highest = max(states, key=lambda state: state["high"])
    typical = [written(state["typical"], form) for state in states]
    return {
        name: _of_states(typical, w),
        f"{name}_pretrained": typical[0],
        f"{name}_finetuned": typical[-1],
        f"{name}_low": written(lowest["low"], form),
        f"{name}_low_of": _experiment(lowest["low_of"], w),
        f"{name}_high": written(highest["high"], form),
        f"{name}_high_of": _experiment(highest["high_of"], w),
        f"{name}_range": _of_states(
            [spread(state["low"], state["high"], form, w) for state in states], w, "range_states"
        ),
    }


def _experiment(name: str | None, w: Words) -> str:
    """Name the experiment of a number, with its run where that is another; none of arithmetic."""
    if name is None:
        return ""
    return w.say("of_experiment", name=name.rpartition("/")[2], run=run_of(name) or "this")


def _of_states(texts: Sequence[str], w: Words, message: str = "number_states") -> str:
    """Say a number, or a range, of one model state, or before fine-tuning and after it."""
    if len(set(texts)) == 1:
        return texts[0]
    before, after = texts
    return w.say(message, before=before, after=after)


def recovered_here(chapter: str, w: Words) -> HTML:
    """Say what the measures behind the findings of a chapter recover where the truth is known."""
    tested = (one for one in findings(chapter).values() if one["outcome"] != "not_tested")
    methods = [method for finding in tested for method in finding["methods"]]
    said = recovered(methods, circuits_of_run(), w)
    if not said:
        return NOTHING
    lead = w.say("recovered_here", page=page_link("circuits", words(w.language, "circuits")))
    return HTML(f'<p class="recovered">{lead} {said}</p>')


def control(chapter: str, w: Words, *names: str) -> HTML:
    """Say some findings of a chapter in the run that is the control, where there is one."""
    run = control_run()
    return NOTHING if run is None else HTML(_stated(chapter, run, names, w))


def _stated(chapter: str, run: str, names: Iterable[str], w: Words) -> str:
    """List findings of a chapter in a run, and mark those that would be others today."""
    judged = findings(chapter)
    items = []
    for name in names:
        if run in judged[name]["kept"]:
            finding = judged[name]["kept"][run]
            mark = stale_mark(w) if finding["stale"] else ""
            items.append(f"<li>{escape(sentence(finding, w))}{mark}</li>")
    return f"<ul>{''.join(items)}</ul>" if items else ""
