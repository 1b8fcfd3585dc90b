"""Fields that stand twice in a YAML mapping.

YAML's own readers take the last one in silence, and masks or limits that somebody wrote are lost.
"""

from __future__ import annotations

from collections.abc import Iterator

import yaml


def repeated_fields(root: yaml.Node | None) -> list[tuple[str, int, int]]:
    """Each repetition as dotted name, its line, and the line of the first; in the order of lines.

    Each node is looked at once, however often aliases name it.
    """
    found: list[tuple[str, int, int]] = []
    seen: set[int] = set()
    waiting: list[tuple[yaml.Node | None, str]] = [(root, "")]
    while waiting:
        node, path = waiting.pop()
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            found += _in_mapping(node, path)
        waiting += _children(node, path)
    return sorted(found, key=lambda each: each[1])


def _in_mapping(node: yaml.MappingNode, path: str) -> Iterator[tuple[str, int, int]]:
    first: dict[str, int] = {}
    for key, _ in node.value:
        # Only scalars: a key that is a mapping or a list is an error of its own.
        if not isinstance(key, yaml.ScalarNode):
            continue
        line = key.start_mark.line + 1
        if key.value in first:
            yield f"{path}{key.value}", line, first[key.value]
        first.setdefault(key.value, line)


def _children(node: yaml.Node, path: str) -> Iterator[tuple[yaml.Node, str]]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield value, f"{path}{key.value}." if isinstance(key, yaml.ScalarNode) else path
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield item, path
