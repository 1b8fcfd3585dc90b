"""The URLs that a run's add and update commands name (docs/spec/03-planning.md, *Order*)."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator

from site_indexer.crawling.model import PageRecord, RecordAction, Seed
from site_indexer.index_script.model import Action
from site_indexer.index_store.documents import StoredDocuments
from site_indexer.indexing.run_removals import RunRemovals
from site_indexer.masks.mask import Mask, compile_mask
from site_indexer.planning.model import PlannedCommand

logger = logging.getLogger(__name__)


def add_seeds(commands: Iterable[PlannedCommand]) -> list[Seed]:
    """The seeds of ``add`` commands: the URLs themselves."""
    return [
        _seed(command, command.url, Action.ADD) for command in commands if command.url is not None
    ]


def update_seeds(
    commands: Iterable[PlannedCommand],
    documents: StoredDocuments,
    added: Iterable[PageRecord],
    removals: RunRemovals,
) -> list[Seed]:
    """The seeds of ``update`` commands: the documents that match, as their block finds them.

    That is: what the base holds, less what any block of the run deletes, plus what blocks up to
    the command's own added and no block deletes afterwards.
    """
    written = [record for record in added if record.action is RecordAction.WRITE]
    seeds: list[Seed] = []
    for command in commands:
        if command.mask is None or command.mask_kind is None:
            continue
        mask = compile_mask(command.mask, command.mask_kind)
        urls = dict.fromkeys(_of_base(mask, documents, removals))
        urls.update(dict.fromkeys(_of_run(mask, command.block, written, removals)))
        logger.info(
            "line %d: update %s %s: %d documents to look at",
            command.line,
            command.mask_kind.value,
            command.mask,
            len(urls),
        )
        seeds.extend(_seed(command, url, Action.UPDATE) for url in urls)
    return seeds


def _of_base(mask: Mask, documents: StoredDocuments, removals: RunRemovals) -> Iterator[str]:
    for _, url in documents.matching(mask):
        if not removals.any_match(url):
            yield url


def _of_run(
    mask: Mask, block: int, written: Iterable[PageRecord], removals: RunRemovals
) -> Iterator[str]:
    for record in written:
        url = str((record.document or {}).get("url", record.url))
        if (
            record.block <= block
            and mask.matches(url)
            and not removals.newer_match(url, record.block)
        ):
            yield url


def _seed(command: PlannedCommand, url: str, cause: Action) -> Seed:
    return Seed(
        url=url,
        block=command.block,
        line=command.line,
        cause=cause,
        nofollow=command.nofollow,
        noindex=command.noindex,
    )
