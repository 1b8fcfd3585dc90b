"""What is left of a page once it is read, judged and recorded, and nothing depends on it.

Of a million such pages all but the URL is the same for very many, so that is kept once
(docs/adr/0010-compact-frontier.md).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from site_indexer.crawling.model import Outcome, Reach, RecordAction


class Finished:
    """One kind of finished pages; ``pages`` is how many there are of it.

    ``reaches``, by turn, are as judged, without the page that a link was found on.
    """

    __slots__ = (
        "action", "is_fresh", "named", "not_modified", "outcome", "pages", "reaches", "stored",
    )  # fmt: skip

    def __init__(
        self,
        reaches: Mapping[int, Reach],
        outcome: Outcome,
        action: RecordAction,
        *,
        named: bool,
        stored: bool,
        not_modified: bool,
        is_fresh: bool,
    ) -> None:
        self.reaches = reaches
        self.outcome = outcome
        self.action = action
        self.named = named
        self.stored = stored
        self.not_modified = not_modified
        self.is_fresh = is_fresh
        self.pages = 0


class FinishedKinds:
    """The kinds of a crawl: a few for each depth."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[object, ...], Finished] = {}

    @property
    def all(self) -> Sequence[Finished]:
        """Every kind."""
        return list(self._kinds.values())

    def of(
        self,
        reaches: Iterable[Reach],
        outcome: Outcome,
        action: RecordAction,
        *,
        named: bool,
        stored: bool,
        not_modified: bool,
        is_fresh: bool,
    ) -> Finished:
        """The kind of a page, which counts in it from now on. ``reaches`` have their verdicts."""
        bare = tuple(
            each if each.found_on is None else dataclasses.replace(each, found_on=None)
            for each in reaches
        )
        key = (bare, outcome, action, named, stored, not_modified, is_fresh)
        kind = self._kinds.get(key)
        if kind is None:
            kind = self._kinds[key] = Finished(
                {each.turn: each for each in bare},
                outcome,
                action,
                named=named,
                stored=stored,
                not_modified=not_modified,
                is_fresh=is_fresh,
            )
        kind.pages += 1
        return kind
