"""Questions written in the published layout of SQuAD 2.0."""

from itertools import groupby


def layout(table):
    """Lay questions out as published, the inverse of ``analysis.corpora.squad.read``.

    Neighbouring rows of one title become an article, neighbouring rows of one context in it a
    paragraph.
    """

    def question(row):
        pairs = zip(row.answers, row.answer_starts, strict=True)
        return {
            "id": row.id,
            "question": row.question,
            "answers": [{"text": text, "answer_start": int(start)} for text, start in pairs],
            "is_impossible": bool(row.impossible),
        }

    return {
        "version": "v2.0",
        "data": [
            {
                "title": title,
                "paragraphs": [
                    {"context": context, "qas": [question(row) for row in rows]}
                    for context, rows in groupby(article, key=lambda row: row.context)
                ],
            }
            for title, article in groupby(table.itertuples(), key=lambda row: row.title)
        ],
    }
