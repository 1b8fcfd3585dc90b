"""Where a target's alias is, and the requests that move it (compare and swap).

Each is one request that fails as a whole. Where its answer is lost, what the alias shows tells.
They raise what ``store_errors`` raises; then, and only then, the swap may still come about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from opensearchpy.exceptions import NotFoundError, OpenSearchException

from site_indexer.errors import StoreRefusedError
from site_indexer.index_store.client import StoreClient, store_errors
from site_indexer.index_store.generations import Generation, current, describe
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
    """Put ``alias`` on ``index``, if what it replaces is still where it was; whether it was."""
    return _move(client, [_taken(at.index, at.alias), _given(index, alias)], alias, index)


def push(client: StoreClient, names: SiteNames, live: Position, staged: str) -> bool:
    """Let live show the staged generation and staged nothing, if both are where they were."""
    alias = names.alias(Target.LIVE)
    actions = [
        _taken(live.index, live.alias),
        _taken(staged, names.alias(Target.STAGED)),
        _given(staged, alias),
        _given(names.none_index, names.none_alias),
    ]
    return _move(client, actions, alias, staged)


def unstage(client: StoreClient, names: SiteNames, staged: str) -> bool:
    """Let staged show nothing, if it still shows that generation."""
    actions = [
        _taken(staged, names.alias(Target.STAGED)),
        _given(names.none_index, names.none_alias),
    ]
    return _move(client, actions, names.none_alias, names.none_index)


def put_back(client: StoreClient, names: SiteNames, index: str, shown: str | None) -> bool:
    """Let live show ``index``, if it still shows ``shown``; None where its alias is gone."""
    alias = names.alias(Target.LIVE)
    taken = [] if shown is None else [_taken(shown, alias)]
    return _move(client, [*taken, _given(index, alias)], alias, index)


def shown_now(client: StoreClient, names: SiteNames) -> dict[str, str]:
    """What the aliases show that searchers use: index by alias; one that is nowhere is left out."""
    found = {names.alias(target): current(client, names, target) for target in Target}
    return {alias: index for alias, index in found.items() if index is not None}


def delete_unless_moved(client: StoreClient, index: str, shown: Mapping[str, str]) -> bool:
    """Delete an index, if the aliases are still where :func:`shown_now` found them.

    One request does both, so nobody can put an alias on the index in between. Returns whether the
    index is gone.
    """
    unmoved = [
        action for alias, at in shown.items() for action in (_taken(at, alias), _given(at, alias))
    ]
    actions = [*unmoved, {"remove_index": {"index": index}}]
    with store_errors(f"delete {index}", client):
        try:
            client.indices.update_aliases(body={"actions": actions})
        except NotFoundError:
            return not client.indices.exists(index=index)
    return True


def _taken(index: str, alias: str) -> dict[str, Any]:
    return {"remove": {"index": index, "alias": alias, "must_exist": True}}


def _given(index: str, alias: str) -> dict[str, Any]:
    return {"add": {"index": index, "alias": alias}}


def _move(
    client: StoreClient, actions: Sequence[Mapping[str, Any]], alias: str, index: str
) -> bool:
    with store_errors(f"move the alias {alias} to {index}", client):
        try:
            client.indices.update_aliases(body={"actions": list(actions)})
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
