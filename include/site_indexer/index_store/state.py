"""Small facts that outlive runs, in ``site-indexer.state`` (docs/spec/06-watermark.md)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from opensearchpy.exceptions import ConflictError, NotFoundError

from site_indexer.errors import StoreUnreachableError
from site_indexer.index_store import scan
from site_indexer.index_store.client import StoreClient, store_errors
from site_indexer.index_store.instants import iso, parse
from site_indexer.index_store.names import STATE_INDEX, Target

_TRIES = 10


@dataclass(frozen=True, slots=True)
class PublishIntent:
    """What a publish is about to do to the watermark; written before it swaps the alias.

    Died in between, the next run finds it: if ``generation`` was published and the watermark is
    still ``old``, it is moved to ``new``; any other value was set by a person.
    """

    site: str
    target: Target
    run_id: str
    generation: str
    old: dt.datetime | None
    new: dt.datetime | None
    written_at: dt.datetime


@dataclass(frozen=True, slots=True)
class Versioned:
    """A stored fact and its place in OpenSearch's order of changes, for compare-and-set."""

    value: Mapping[str, Any]
    seq_no: int
    primary_term: int


@dataclass(frozen=True, slots=True)
class StateStore:
    """Facts by key. All calls raise what ``store_errors`` raises."""

    client: StoreClient

    def read(self, key: str) -> Versioned | None:
        """A fact, or None, also before anything was ever written."""
        found = scan.get(self.client, STATE_INDEX, key, index_may_be_missing=True)
        if found is None:
            return None
        return Versioned(found["_source"], found["_seq_no"], found["_primary_term"])

    def replace(
        self,
        key: str,
        value: Mapping[str, Any],
        seen: Versioned | None,
        *,
        refresh: bool = True,
    ) -> bool:
        """Write a fact if it is still as ``seen`` (None: not there); whether it was.

        ``refresh`` makes it visible to searches; :meth:`read` sees it at once in any case.
        """
        params = (
            {"op_type": "create"}
            if seen is None
            else {"if_seq_no": str(seen.seq_no), "if_primary_term": str(seen.primary_term)}
        )
        with store_errors(f"remember {key}", self.client):
            try:
                self.client.index(
                    index=STATE_INDEX,
                    id=key,
                    body=dict(value),
                    params={**params, "refresh": "true" if refresh else "false"},
                )
            except ConflictError:
                return False
        return True

    def remove(self, key: str, seen: Versioned | None = None, *, refresh: bool = True) -> bool:
        """Forget a fact, if it is still as ``seen`` where that is given; whether it is gone."""
        params = {"refresh": "true" if refresh else "false"}
        if seen is not None:
            params |= {"if_seq_no": str(seen.seq_no), "if_primary_term": str(seen.primary_term)}
        with store_errors(f"forget {key}", self.client):
            try:
                self.client.delete(index=STATE_INDEX, id=key, params=params)
            except NotFoundError:
                return True
            except ConflictError:
                return False
        return True

    def get_watermark(self, site: str, target: Target) -> dt.datetime | None:
        """The shell's watermark of a site and target, or None."""
        found = self.read(_watermark_key(site, target))
        return None if found is None else parse(found.value["date"])

    def set_watermark(self, site: str, target: Target, value: dt.datetime) -> None:
        """Remember the shell's watermark (aware), whatever it was."""
        key = _watermark_key(site, target)
        source = {
            "kind": "watermark",
            "site": site,
            "target": target.value,
            "date": iso(value),
        }
        for _ in range(_TRIES):
            if self.replace(key, source, self.read(key), refresh=False):
                return
        raise StoreUnreachableError(
            f"The watermark of {site} ({target.value}) is being set by others again and again.",
            hint="Run again later.",
            site=site,
        )

    def clear_watermark(self, site: str, target: Target) -> None:
        """Forget the shell's watermark: every block is new then."""
        self.remove(_watermark_key(site, target), refresh=False)

    def put_intent(self, intent: PublishIntent) -> None:
        """Write what a publish is about to do; to be called before it does."""
        source = {
            **asdict(intent),
            "kind": "intent",
            "target": intent.target.value,
            "old": intent.old and iso(intent.old),
            "new": intent.new and iso(intent.new),
            "written_at": iso(intent.written_at),
        }
        with store_errors("write the intent to publish", self.client):
            self.client.index(
                index=STATE_INDEX,
                id=_intent_key(intent.site, intent.target, intent.generation),
                body=source,
                params={"refresh": "true"},
            )

    def intents(self, site: str, target: Target) -> list[PublishIntent]:
        """The intents that nobody has finished, oldest first."""
        hits = self._all_of("intent", site, target)
        found = [
            PublishIntent(
                site=source["site"],
                target=Target(source["target"]),
                run_id=source["run_id"],
                generation=source["generation"],
                old=_optional(source["old"]),
                new=_optional(source["new"]),
                written_at=parse(source["written_at"]),
            )
            for source in hits
        ]
        return sorted(found, key=lambda intent: (intent.written_at, intent.generation))

    def finish_intent(self, site: str, target: Target, generation: str) -> None:
        """Forget an intent: the watermark is as it should be, or it was never published."""
        self.remove(_intent_key(site, target, generation))

    def _all_of(self, kind: str, site: str, target: Target) -> list[dict[str, Any]]:
        terms = {"kind": kind, "site": site, "target": target.value}
        query = {"bool": {"filter": [{"term": {name: value}} for name, value in terms.items()]}}
        hits = scan.scan(self.client, STATE_INDEX, query=query, source=True)
        return [hit["_source"] for hit in hits]


def _watermark_key(site: str, target: Target) -> str:
    return f"watermark:{site}:{target.value}"


def _intent_key(site: str, target: Target, generation: str) -> str:
    return f"intent:{site}:{target.value}:{generation}"


def _optional(text: str | None) -> dt.datetime | None:
    return None if text is None else parse(text)
