"""Where a target's alias is, and the one request that moves it (compare and swap)."""

from __future__ import annotations

from dataclasses import dataclass

from opensearchpy.exceptions import NotFoundError, OpenSearchException

from site_indexer.errors import StoreRefusedError
from site_indexer.index_store.client import StoreClient, store_errors
from site_indexer.index_store.generations import Generation, describe
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.index_store.setup import ensure_none


@dataclass(frozen=True, slots=True)
class Position:
    """What a target's alias shows, as the base of what comes next.

    ``base_target`` is the target that ``base`` belongs to: live, where a first staged index begins
    as a copy of it. ``index`` and ``alias`` are what a swap takes away.
    """

    base: Generation
    base_target: Target
    index: str
    alias: str

    @property
    def forks(self) -> bool:
        """Whether this begins a staged index as a copy of live."""
        return self.alias.endswith(".staged-none")


def position(client: StoreClient, names: SiteNames, target: Target) -> Position:
    """Where a publish to ``target`` begins.

    Raises StoreRefusedError where the site is not set up, or the alias is on a foreign index.
    """
    base_target = target
    base = describe(client, names, names.alias(target))
    if base is None and target is Target.STAGED:
        base_target = Target.LIVE
        base = describe(client, names, names.alias(Target.LIVE))
        ensure_none(client, names)
    if base is None:
        raise StoreRefusedError(
            f"The site {names.site} has no index: there is no alias {names.alias(base_target)}.",
            hint="It is created by the first run of the site.",
            site=names.site,
        )
    if not names.is_generation(base.name) or not base.own:
        raise StoreRefusedError(
            f"The alias {names.alias(base_target)} is on {base.name}, which is no generation of"
            f" the site {names.site}.",
            hint="Somebody moved it by hand. Roll back to one of the generations.",
            site=names.site,
        )
    if base_target is target:
        return Position(base, base_target, base.name, names.alias(target))
    return Position(base, base_target, names.none_index, names.none_alias)


def swap(client: StoreClient, at: Position, index: str, alias: str) -> bool:
    """Put ``alias`` on ``index``, if what it replaces is still where it was; whether it was.

    One request that fails as a whole. Where its answer is lost, what the alias shows tells.
    Raises what ``store_errors`` raises; then, and only then, the swap may still come about.
    """
    actions = [
        {"remove": {"index": at.index, "alias": at.alias, "must_exist": True}},
        {"add": {"index": index, "alias": alias}},
    ]
    with store_errors(f"move the alias {alias} to {index}", client):
        try:
            client.indices.update_aliases(body={"actions": actions})
        except NotFoundError:
            # The client repeats a request whose answer was lost: the first may have done it.
            return _shows(client, alias, index)
        except OpenSearchException:
            if _shows(client, alias, index):
                return True
            raise
    return True


def _shows(client: StoreClient, alias: str, index: str) -> bool:
    return bool(client.indices.exists_alias(name=alias, index=index))
