"""Articles of questions in the published layout of SQuAD 2.0."""

import json
from pathlib import Path


def article(name: str, number: int, unanswerable: int) -> dict:
    """Ten questions as published; every ``unanswerable``-th of a file has no answer."""
    paragraphs = []
    for place in range(10):
        key = f"{name}-{number}-{place}"
        context = f"In {key} the answer is Été {place} or Été, so to say."
        gone = (10 * number + place) % unanswerable == 0
        texts = [] if gone else ["Été", f"Été {place}", "say", " or"]
        answers = [{"text": text, "answer_start": context.index(text)} for text in texts]
        asked = {"id": key, "question": f"What is {key}?", "answers": answers}
        paragraphs.append({"context": context, "qas": [asked | {"is_impossible": gone}]})
    return {"title": f"{name} {number}", "paragraphs": paragraphs}


# No question of the first has no answer.
ANSWERED = {
    split: [article(split, number, 1000) for number in (1, 2)] for split in ("train", "test")
}
ARTICLES = {
    "train": [article("train", number, 5) for number in range(12)],
    "test": [article("test", number, 3) for number in range(3)],
}


def write(directory: Path, articles: dict) -> dict[str, str]:
    """Write a file a split; return their paths."""
    paths = {split: directory / f"{split}.json" for split in articles}
    for split, path in paths.items():
        path.write_text(json.dumps({"data": articles[split]}), encoding="utf-8")
    return {split: str(path) for split, path in paths.items()}


def flat_rows(articles: list) -> list[dict]:
    """Questions as the hub has them: a row each, with lists of its answers."""
    keys = ("text", "answer_start")
    return [
        {"id": asked["id"], "title": one["title"], "context": part["context"]}
        | {"question": asked["question"]}
        | {"answers": {key: [answer[key] for answer in asked["answers"]] for key in keys}}
        for one in articles
        for part in one["paragraphs"]
        for asked in part["qas"]
    ]
