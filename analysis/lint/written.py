"""Lint what is written: pages, messages, READMEs, in both languages.

Each finding is one line, ``FILE:LINE: SENTENCE``. Looked at are sources alone, so no run is needed:
words that a reader stumbles over, numbers and names that a run should give, the thread from chapter
to chapter, and whether both languages have the same.

Checks of one text give pairs of a line and a sentence; they know neither files nor each other.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import yaml
from fluent.syntax import FluentParser
from fluent.syntax import ast as fluent
from fluent.syntax.visitor import Visitor

from analysis.paths import LANGUAGES, REPORT, ROOT
from analysis.rules.rule import read
from analysis.site.layout import LAID_OUT

Said = Iterator[tuple[int, str]]  # line and sentence

# What stands for what is not written, and the expression that finds it, by language.
BETTER = yaml.safe_load(Path(__file__).with_name("words.yaml").read_text(encoding="utf-8"))
# Pages that are no part of the argument.
ASIDE = {
    *("index", "paper", "run", "advice", "explorer", "glossary", "provenance", "rerun"),
    *("library", "api"),
}

KANA = re.compile(r"[\u3041-\u30ff]")
JAPANESE = re.compile("[ぁ-んァ-ヶ一-龠]")
CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.M | re.S)
NO_PROSE = re.compile(
    r"```.*?```|\$\$.*?\$\$|`[^`\n]*`|\]\([^)]*\)|\{\{<.*?>\}\}|\[@[^\]]*\]"
    r"|「[^」]*」"  # words of others
    r'|\[[^\]]*\]\{lang="\w+"\}',  # terms of the other language, in the glossary
    re.S,
)
SKELETON = {
    "sections": r"^(#+) .*\{#",
    "labels": r"\{#([a-z]+-[\w-]+)",
    "embeds": r"\{\{<\s*embed\s+(\S+)",
    "divs": r"^:::+ *\{\.(.+?)\}",
}
# Word order differs between the languages, so of these only the set is compared.
USED = {
    "variables": r"\{\{<\s*var\s+(\S+)",
    "references": r"@([a-z]+-[\w-]+)",
    "citations": r"@([a-z]+\d{4}\w*)",
    "conditions": r"((?:when|unless)-meta=\S+)\}",
    "links": r"\]\((\w+\.qmd[^)]*|report\.pdf)\)",
}
TERM = re.compile(r"^\[((?:\\.|[^\]])+)\]\{#term-([\w-]+)\}(?: ?[(（]\[((?:\\.|[^\]])+)\])?", re.M)

# Part of a definition, not of a result: counts, what guessing gives, a tenth as 10%.
ALLOWED_NUMBERS = {"0", "1", "2", "0.5", "10"}
ALLOWED_NAMES = ["SQuAD 2.0", "Llama 4"]
NO_NUMERAL = [
    r"\A---\nnumber-offset: \[\d+\]$",  # number of the page, which is its place in the sidebar
    CODE.pattern,
    r"\$\$.*?\$\$",  # mathematics
    r"\$[^$\n]+\$",
    r"\{\{<.*?>\}\}",  # variables
    r"\]\([^)]*\)",  # targets of links
    r"\{[#.=][^}]*\}",  # attributes
    r"@[\w:-]+",  # citations and references
    r"^ *\d+\. ",  # items of a list
    *map(re.escape, ALLOWED_NAMES),
]
# Strings of the code that are said to who made a mistake, not to readers.
RAISES = {"InputError", "ValueError", "PydanticCustomError"}
SAID_TO_USERS = {"echo", "warn", "Option", "Argument"}
# Classes of characters, and expressions for words, which are no words of the report.
WITH_WORDS = ("attention_mixing/corpora/bag_of_words.py", "analysis/lint/written.py")
OF_MISTAKES = re.compile(r"known key|allowed:|GPU")


def line_of(text: str, position: int) -> int:
    """Count the lines up to a place in a text."""
    return text.count("\n", 0, max(position, 0)) + 1


def without(pattern: re.Pattern[str], text: str, instead: str = "") -> str:
    """Take matches out of a text, and leave the lines where they are."""
    return pattern.sub(lambda match: instead + "\n" * match[0].count("\n"), text)


def matches(pattern: str, text: str, sentence: str) -> Said:
    """Say a sentence of every match, with the match in it."""
    for match in re.finditer(pattern, text, re.M):
        yield line_of(text, match.start()), sentence.format(match[0].strip())


# --- any prose ------------------------------------------------------------------------------------


def wording(text: str, better: Mapping[str, str]) -> Said:
    """Words and turns that a native reader stumbles over."""
    for number, line in enumerate(without(NO_PROSE, text).splitlines(), start=1):
        for word, phrase in better.items():
            if match := re.search(phrase, line):
                yield number, f"“{match[0]}” is not written here; write: {word}."


def experiment_names(text: str, typed: str) -> Said:
    """Names of experiments in sentences: they come from the results, and a run may have others."""
    text = re.sub(r"^\w[\w-]* = ", "", without(CODE, text), flags=re.M)
    text = without(re.compile(r"\{[^\n]*?\}|\]\(\S+?\)|@[\w-]+"), text)
    yield from matches(typed, text, "“{}” names an experiment that a run need not have; say which.")


def typed_names(experiments: Collection[str], language: str) -> str:
    """Expression for a sentence of a language that names an experiment."""
    names = "|".join(experiments)
    if language == "en":
        return rf"\b[Ee]xperiments? [*`“]?(?:{names})\b"
    # No English word is one of these in a Japanese sentence, unless it names a grammar.
    return rf"(?<!文法 )(?<![\w-])(?:{names})(?![\w-])"


def open_emphasis(text: str) -> Said:
    """Emphasis that CommonMark leaves open: `**「強調」**です` shows its asterisks."""
    yield from matches(r"\*\*[「『（].*", text, "“{}” shows its asterisks; write 「**…**」.")


# --- pages ----------------------------------------------------------------------------------------


def unnamed_sections(text: str) -> Said:
    """Sections without an id; headings within callouts and tabsets are titles, not sections."""
    prose = re.compile(r"^:::+ *\{\.(callout|panel).*?^:::+$", re.M | re.S)
    for line, heading in matches(r"^##+ .*$", without(prose, without(CODE, text)), "{}"):
        if "{#sec-" not in heading:
            yield line, f"The section “{heading}” has no id; give it {{#sec-…}}."


def bare_references(text: str) -> Said:
    """`図@fig-aを` is no reference to pandoc, and ` @fig-aを` swallows the kana."""
    prose = without(re.compile(r"\[[^\]]*\]"), without(CODE, text))
    yield from matches(r"@(?:fig|tbl|eq|sec|lst)-\S+", prose, "{} stands bare; write [@…].")


def lost_spaces(text: str) -> Said:
    """Spaces at the ends of conditional spans are lost, and `[@fig-a][x]{...}` is a link."""
    from analysis.site.source.conditions import opening_bracket

    prose = without(CODE, text)
    yield from matches(r".{0,20}\]\[.{0,20}", prose, "“{}” is a link; part the brackets.")
    yield from matches(
        r".{0,20}\s\]\{\.content-visible", prose, "“{}” loses its last space; put it outside."
    )
    for closing in re.finditer(r"\]\{\.content-visible", prose):
        opening = opening_bracket(prose, closing.start())
        if prose[opening + 1].isspace():
            yield line_of(prose, opening), "A span loses its first space; put it outside."


def typed_results(text: str) -> Said:
    """Numerals in prose: they come from variables, so that none outlives the run it came from.

    Those in code, formulas, links, citations and names are left alone, and so are the constants of
    :data:`ALLOWED_NUMBERS`. Number words are not looked at: use them for what is true by
    definition, never for a result.
    """
    for ignored in NO_NUMERAL:
        text = without(re.compile(ignored, re.M | re.S), text, " ")
    # A digit within a name (GPT-2, L6) belongs to the name.
    for match in re.finditer(r"(?<![A-Za-z0-9_.])(?<![A-Za-z]-)\d+(?:[.,]\d+)*", text):
        if match[0] not in ALLOWED_NUMBERS:
            line = line_of(text, match.start())
            yield line, f"{match[0]} is typed; let a variable give it."


def early_includes(text: str, directory: Path) -> Said:
    """Includes of what is not in the repository: Quarto reads them before any script is run.

    What is laid out first is missing in a fresh clone, and stops whatever Quarto is asked for.
    """
    for match in re.finditer(r"\{\{<\s*include\s+(\S+)", without(CODE, text)):
        name = match[1]
        if Path(name).parts[0] in LAID_OUT or not (directory / name).is_file():
            yield (
                line_of(text, match.start()),
                f"{name} is not in the repository, and Quarto reads what is included before it is "
                f"laid out; write {{{{< laid-out {name} >}}}}.",
            )


def body(text: str) -> str:
    """Text of a page of a run that has evidence for all of it, without the conditions."""
    from analysis.site.source.conditions import shown_parts

    # No model has failed, and each sees its texts.
    met = shown_parts(text, lambda key: key not in ("has.unlearned", "has.unread"))
    visible = "".join(text[start:end] for start, end in met)
    lines: list[str] = []
    fences: list[str] = []
    for line in visible.split("---\n", 2)[2].split("\n"):
        if line.startswith(":::"):
            fence = fences.pop() if line == ":::" else line
            if line != ":::":
                fences.append(line)
            if fence == "::: {.content-visible}":
                continue
        lines.append(line)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def opening(text: str, name: str) -> Said:
    """Chapters that do not open with a finding and the figure that shows it."""
    finding, figure = [*body(text).split("\n\n"), "", ""][:2]
    line = line_of(text, text.find(finding))
    if not re.match(rf"\[?\{{\{{< var {name}\.[\w-]+ >\}}\}}", finding):
        yield line, f"The chapter opens with no finding; begin with {{{{< var {name}.… >}}}}."
    labels = re.findall(r"^::: \{#(fig-[\w-]+)\}$", figure, re.M)
    if len(labels) != 1 or f"@{labels[0]}" not in finding:
        yield line, "The finding refers to no figure right below it; put there the one it names."


def hand_over(text: str, following: str) -> Said:
    """Chapters whose last paragraph does not lead to the next."""
    paragraphs = [
        paragraph for paragraph in body(text).split("\n\n") if not paragraph.startswith("[^")
    ]
    if f"]({following}.qmd" not in paragraphs[-1]:
        line = line_of(text, text.rfind(paragraphs[-1]))
        yield line, f"The last paragraph leads nowhere; link {following}.qmd, the next chapter."


def unspoken(text: str) -> Said:
    """Figures and tables whose label stands nowhere but in their own caption."""
    prose = body(text)
    blocks = re.findall(r"^::: \{#((?:fig|tbl)-[\w-]+)\}\n(.*?)^:::$", prose, re.M | re.S)
    for label, block in blocks:
        if not re.search(rf"@{label}(?![\w-])", prose.replace(block, "")):
            yield line_of(text, text.find(f"#{label}")), f"No sentence speaks of {label}; say why."


def unlinked(text: str, listed: Sequence[str]) -> Said:
    """Pages to which the first one does not lead."""
    linked = re.findall(r"\]\((\w+)\.qmd", body(text))
    for name in sorted({*listed} - {*linked, "index"}):
        yield 1, f"The first page does not lead to {name}.qmd; link it."


def lost_links(pages: Mapping[str, str], name: str) -> Said:
    """Links and references that land nowhere, whether all that pages can show is there or not.

    ``pages`` are the texts of all pages of a language by their names, one of which is ``name``.
    """
    from analysis.site.source.conditions import shown_parts

    for is_met in (lambda condition: True, lambda condition: False):
        texts = {}
        for page, text in pages.items():
            prose = without(CODE, text)
            mask = bytearray(len(prose))
            for start, end in shown_parts(prose, is_met):
                mask[start:end] = b"\1" * (end - start)
            pairs = zip(prose, mask, strict=True)
            texts[page] = "".join(sign if keep or sign == "\n" else "" for sign, keep in pairs)
        labels = {page: set(re.findall(r"\{#([\w-]+)", text)) for page, text in texts.items()}
        every = set().union(*labels.values())
        text = texts[name]
        for match in re.finditer(r"@((?:fig|tbl|sec|eq|lst)-[\w-]+)", text):
            if match[1] not in every:
                yield line_of(text, match.start()), f"{match[1]} is on no page; correct the label."
        for match in re.finditer(r"\]\((?:(\w+)\.qmd)?(?:#([\w-]+))?\)", text):
            page, anchor = match[1] or name, match[2]
            if page not in pages or (anchor and anchor not in labels[page]):
                yield (
                    line_of(text, match.start()),
                    f"{match[0][1:]} leads nowhere; correct the link.",
                )


# --- both languages -------------------------------------------------------------------------------


def other_skeleton(english: str, japanese: str) -> Said:
    """Name where the Japanese page has other sections, figures or numbers than the English one."""
    for kind, pattern in SKELETON.items():
        marks = re.findall(pattern, english, re.M)
        other = [*re.finditer(pattern, japanese, re.M)]
        for index, expected in enumerate([*marks, None]):
            match = other[index] if index < len(other) else None
            if (match and match[1]) != expected:
                line = line_of(japanese, match.start() if match else len(japanese))
                difference = (
                    f"{match[1] if match else 'none'} where English has {expected or 'none'}"
                )
                yield line, f"Of {kind} there is {difference}; give both languages the same."
                break
    for kind, pattern in USED.items():
        sides = (set(re.findall(pattern, text, re.M)) for text in (english, japanese))
        for name in sorted(set.symmetric_difference(*sides)):
            line = line_of(japanese, japanese.find(name))
            yield line, f"Of {kind}, {name} is used by one language alone; use it in both."


def glossary(english: str, japanese: str) -> Said:
    """Terms that one glossary holds alone, or that the two do not name alike."""
    entries = [
        {name: (term.lower(), (other or term).lower()) for term, name, other in TERM.findall(text)}
        for text in (english, japanese)
    ]
    if len(entries[0]) != english.count("{#term-"):
        yield 1, "Some entry of the English glossary cannot be read; write [TERM]{#term-ID}."
    if list(entries[0]) != list(entries[1]):
        yield 1, "The glossaries hold other terms, or in another order; give both the same."
    for name in entries[0].keys() & entries[1].keys():
        (term, other), entry = entries[0][name], entries[1][name]
        if entry != (other, term):
            line = line_of(japanese, japanese.find(f"#term-{name}"))
            yield line, f"The term {name} is {entry[0]} here and {other} in English; name it alike."


# --- messages -------------------------------------------------------------------------------------


def other_language(text: str, language: str) -> Said:
    """Messages in the other language; Japanese alternative texts are sentences, and have kana."""
    if language == "en":
        yield from matches(rf".*{KANA.pattern}.*", text, "“{}” is Japanese; write it in English.")
        return
    for match in re.finditer(r"^alt_\w+ =(?:.*(?:\n[ \t]+.*|\n(?=\n[ \t]))*)", text, re.M):
        if not KANA.search(match[0]):
            name = match[0].partition(" ")[0]
            yield line_of(text, match.start()), f"{name} has no kana; write it in Japanese."


def crowded(text: str, numbers: Collection[str]) -> Said:
    """Sentences with more than two measured numbers.

    Each variant of a message stands alone, and each attribute.
    """
    start = 0
    for end in [
        *(
            match.end()
            for match in re.finditer(
                r"\n(?=\w)|\n\s+(?:\*?\[\w+\]|\.\w+ =)|\.(?=\s|$)|[。;；]", text
            )
        ),
        len(text),
    ]:
        arguments = re.findall(r"\{ ?\$(\w+?)(?:_range|_low|_high)? ?\}", text[start:end])
        if sum(name in numbers for name in arguments) > 2:
            sentence = " ".join(text[start:end].split())
            line = line_of(text, end - len(text[start:end].lstrip()))
            yield line, f"“{sentence[:60]}…” has more than two measured numbers; part it."
        start = end


class _Choices(Visitor):
    """Arguments of a message and of those it refers to, each with the outcomes it chooses by."""

    def __init__(self, message: fluent.Message, messages: Mapping[str, fluent.Message]) -> None:
        self.values: dict[str, set[str]] = {}
        self._messages = messages
        self.visit(message)

    def visit_VariableReference(self, node: fluent.VariableReference) -> None:
        self.values.setdefault(node.id.name, set())

    def visit_MessageReference(self, node: fluent.MessageReference) -> None:
        if node.id.name in self._messages:  # else it is of another file, such as a shared word
            self.visit(self._messages[node.id.name])

    def visit_SelectExpression(self, node: fluent.SelectExpression) -> None:
        if isinstance(node.selector, fluent.VariableReference):
            keys = (getattr(variant.key, "name", "one") for variant in node.variants)  # or a number
            chosen = self.values.setdefault(node.selector.id.name, set())
            chosen |= {"a number" if key in ("one", "other") else key for key in keys}
        self.generic_visit(node)


def chosen_by(
    message: fluent.Message, messages: Mapping[str, fluent.Message]
) -> dict[str, set[str]]:
    """Give the outcomes that a message chooses by, of each argument; none where it takes any."""
    return _Choices(message, messages).values


def messages_of(text: str) -> dict[str, fluent.Message]:
    """Messages of a file by their names."""
    parsed = FluentParser().parse(text).body
    return {entry.id.name: entry for entry in parsed if isinstance(entry, fluent.Message)}


def other_messages(english: str, japanese: str) -> Said:
    """Messages that one language lacks, or whose arguments and outcomes differ.

    A language may leave an argument out, or not choose by it.
    """
    for text in (english, japanese):
        for entry in FluentParser().parse(text).body:
            if isinstance(entry, fluent.Junk):
                yield line_of(text, _span(entry).start), "This is no message; correct its syntax."
    ours, theirs = messages_of(english), messages_of(japanese)
    if list(ours) != list(theirs):
        apart = sorted(ours.keys() ^ theirs.keys()) or ["the order"]
        yield 1, f"Messages differ from English in {', '.join(apart)}; give both the same."
    for name in ours.keys() & theirs.keys():
        line = line_of(japanese, _span(theirs[name]).start)
        one, other = (
            set(re.findall(r"\$(\w+)", text[_span(of[name])]))
            for text, of in ((english, ours), (japanese, theirs))
        )
        if not (one <= other or other <= one):
            yield line, f"{name} has other arguments in each language; use those of one."
        attributes, others = ({one.id.name for one in of[name].attributes} for of in (ours, theirs))
        for attribute in sorted(attributes ^ others):
            yield line, f"{name} has .{attribute} in one language alone; write it in both."
        choices, chosen_there = (chosen_by(of[name], of) for of in (ours, theirs))
        for argument, chosen in choices.items():
            if chosen and chosen_there.get(argument) and chosen != chosen_there[argument]:
                yield line, f"{name} tells other outcomes of ${argument} apart than English does."


def _span(entry: fluent.SyntaxNode) -> slice:
    return slice(entry.span.start, entry.span.end) if entry.span else slice(0, 0)


# --- code -----------------------------------------------------------------------------------------


def strings(source: str) -> Iterator[tuple[int, str]]:
    """Lines and strings of a module, without documentation and messages of errors."""
    tree = ast.parse(source)
    left_out: set[int] = set()
    for node in ast.walk(tree):
        called = getattr(node, "func", None)
        name = getattr(called, "id", getattr(called, "attr", ""))
        if isinstance(node, ast.Raise) or name in RAISES | SAID_TO_USERS:
            left_out |= {id(child) for child in ast.walk(node)}
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            left_out.add(id(node.value))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) not in left_out:
                yield node.lineno, node.value


def japanese_strings(source: str) -> Said:
    """Japanese in the code: words are messages."""
    for line, text in strings(source):
        if JAPANESE.search(text):
            yield line, f"“{text[:40]}” is Japanese in the code; make it a message."


def english_sentences(source: str) -> Said:
    """Five words in a row are a sentence, unless they are markup or said of a mistake."""
    for line, text in strings(source):
        if re.search(r"(?:\b[A-Za-z]{2,} ){4}[A-Za-z]{2,}", text) and not OF_MISTAKES.search(text):
            yield line, f"“{text[:40]}” is a sentence in the code; make it a message."


def experiment_in_figure(source: str, experiments: Collection[str]) -> Said:
    """Figures of one experiment by its name."""
    pattern = rf"experiment.*[\"'](?:{'|'.join(experiments)})[\"']"
    yield from matches(pattern, source, "“{}” draws one experiment by name; let the run choose.")


# --- all that is written here ---------------------------------------------------------------------


def listed_pages(language: str) -> list[str]:
    """Names of the pages of a site, in the order of its sidebar."""
    configured = (ROOT / REPORT / name for name in (f"{language}/_quarto.yml", "_common.yml"))
    listed = [
        item if isinstance(item, str) else item["href"]
        for path in configured
        for item in yaml.safe_load(path.read_text("utf-8"))["website"]["sidebar"]["contents"]
    ]
    return [page.removesuffix(".qmd") for page in listed]


def lint() -> Iterator[str]:
    """Look at all that is written, and give a line a finding."""
    experiments = list(yaml.safe_load(_text(ROOT / "params.yaml"))["experiments"])
    code = [
        path
        for folder in ("attention_mixing", "analysis")
        for path in sorted((ROOT / folder).rglob("*.py"))
    ]
    # Documentation and comments of the code are shown by pages.
    beside = {
        "en": [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *code],
        "ja": [ROOT / "README.ja.md", ROOT / "attention_mixing" / "explorer" / "ja.ftl"],
    }
    for language in LANGUAGES:
        written = [file for end in ("qmd", "ftl") for file in _sources(language).rglob(f"*.{end}")]
        names = typed_names(experiments, language)
        for path in (*beside[language], *written):
            yield from _told(path, wording(_text(path), BETTER[language]))
        for path in written:
            yield from _told(path, experiment_names(_text(path), names))
        yield from _pages(language)
    yield from _told(ROOT / "README.ja.md", open_emphasis(_text(ROOT / "README.ja.md")))
    yield from _messages()
    for path in code:
        yield from _code(path, experiments)


def _told(path: Path, sentences: Said) -> Iterator[str]:
    for line, sentence in sentences:
        yield f"{path.relative_to(ROOT)}:{line}: {sentence}"


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _sources(language: str) -> Path:
    return ROOT / REPORT / language


def _pages(language: str) -> Iterator[str]:
    directory = _sources(language)
    texts = {path.stem: _text(path) for path in sorted(directory.glob("*.qmd"))}
    listed = listed_pages(language)
    chapters = [name for name in listed if name not in ASIDE]
    for name, text in texts.items():
        path = directory / f"{name}.qmd"
        for check in (unnamed_sections, bare_references, lost_spaces, typed_results, unspoken):
            yield from _told(path, check(text))
        yield from _told(path, lost_links(texts, name))
        yield from _told(path, early_includes(text, directory))
        if language != "en":
            english = _text(_sources("en") / path.name)
            yield from _told(path, other_skeleton(english, text))
            if name == "glossary":
                yield from _told(path, glossary(english, text))
    for name in chapters:
        yield from _told(directory / f"{name}.qmd", opening(texts[name], name))
    for name, following in pairwise(chapters):
        yield from _told(directory / f"{name}.qmd", hand_over(texts[name], following))
    yield from _told(directory / "index.qmd", unlinked(texts["index"], listed))


def _messages() -> Iterator[str]:
    numbers = {name for rule in read(ROOT / REPORT / "rules.yaml") for name in rule.numbers}
    for english in sorted((_sources("en") / "messages").rglob("*.ftl")):
        japanese = _sources("ja") / english.relative_to(_sources("en"))
        yield from _told(japanese, other_messages(_text(english), _text(japanese)))
        for language, path in (("en", english), ("ja", japanese)):
            yield from _told(path, other_language(_text(path), language))
            if path.parent.name == "findings":
                yield from _told(path, crowded(_text(path), numbers))


def _code(path: Path, experiments: Collection[str]) -> Iterator[str]:
    if path.relative_to(ROOT).as_posix() in WITH_WORDS:
        return
    source, room = _text(path), path.relative_to(ROOT).parts[1]
    yield from _told(path, japanese_strings(source))
    if room in ("figures", "prose", "results", "chapters", "rules", "measures", "methods"):
        yield from _told(path, english_sentences(source))
    if room in ("figures", "prose", "results", "chapters"):
        yield from _told(path, experiment_in_figure(source, experiments))
