"""Every text that the messages of a file can become."""

from collections import defaultdict
from itertools import product

from fluent.syntax import FluentParser, ast
from fluent.syntax.visitor import Visitor

from analysis.figures.words import MESSAGES, words


class Selectors(Visitor):
    """Arguments that a message chooses by, and what it knows of each."""

    def __init__(self):
        self.keys = defaultdict(list)
        self.arguments = set()

    def visit_SelectExpression(self, node):
        for variant in node.variants:
            key = variant.key
            known = key.name if isinstance(key, ast.Identifier) else key.parse()["value"]
            self.keys[node.selector.id.name].append(known)
        self.generic_visit(node)

    def visit_VariableReference(self, node):
        self.arguments.add(node.id.name)


def every_text(language, module):
    """Say all messages of a file, all that they can choose between -> name and text of each."""
    path = MESSAGES / language / "messages" / f"{module}.ftl"
    parsed = FluentParser().parse(path.read_text(encoding="utf-8"))
    everything = Selectors()
    everything.visit(parsed)
    given = {name: f"<{name}>" for name in everything.arguments}
    w = words(language, module)
    for message in (entry for entry in parsed.body if isinstance(entry, ast.Message)):
        own = Selectors()
        own.visit(message)
        for chosen in product(*own.keys.values()):
            by = dict(zip(own.keys, chosen, strict=True))
            yield message.id.name, w.say(message.id.name, **given | by)
