"""What the tasks of a script run call: the use cases of ``site_indexer.indexing``."""

from __future__ import annotations

import datetime as dt
import importlib
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from site_indexer.index_script.model import Action
from site_indexer.indexing.model import (
    Planned,
    PublishOutcome,
    Reviewed,
    RunRequest,
    RunResult,
    ScriptRead,
)


class ScriptUseCases(Protocol):
    """The steps of a script run. Each raises SiteIndexerError."""

    def read_script(self, request: RunRequest) -> ScriptRead:
        """Find what is new in the site's script."""
        ...

    def make_plan(self, request: RunRequest, digest: str | None) -> Planned:
        """Show the plan; without a digest read the script once more."""
        ...

    def remove(self, request: RunRequest, digest: str, action: Action) -> Mapping[str, Any]:
        """Carry out the commands of ``delete`` or ``deletemask``; returns counts."""
        ...

    def crawl(self, request: RunRequest, digest: str, action: Action) -> Mapping[str, Any]:
        """Carry out the commands of ``add`` or ``update``; returns counts."""
        ...

    def review(self, request: RunRequest, digest: str) -> Reviewed:
        """Check what the run has gathered."""
        ...

    def ask(
        self, request: RunRequest, digest: str, question: Mapping[str, Any], *, again: bool
    ) -> dt.datetime:
        """Let a question wait for its answer; returns until when (aware)."""
        ...

    def answer(self, request: RunRequest, digest: str, *, approved: bool, by: str) -> None:
        """Record the answer to a question."""
        ...

    def publish(self, request: RunRequest, digest: str) -> PublishOutcome:
        """Put what the run has gathered before searchers."""
        ...

    def tidy(self, request: RunRequest) -> Mapping[str, Any]:
        """Remove what is no longer kept."""
        ...

    def stale_since(self, request: RunRequest) -> dt.datetime | None:
        """Since when new blocks wait, where somebody is to be told of it now."""
        ...

    def conclude(self, request: RunRequest, result: RunResult) -> None:
        """Sum the run up in the logs."""
        ...


UseCaseSource = Callable[[], ScriptUseCases]


def indexing_use_cases() -> ScriptUseCases:
    """The real ones, with collaborators from this process's settings.

    Their module is imported here, by a task: crawling and OpenSearch have no business in the
    process that parses Dag files.
    """
    module = importlib.import_module("site_indexer.orchestration.indexing_use_cases")
    use_cases: ScriptUseCases = module.IndexingUseCases()
    return use_cases
