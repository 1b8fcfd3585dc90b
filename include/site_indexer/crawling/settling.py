"""Which URL a page is stored under in the end: redirects, refreshes, canonicals; no I/O.

All of a crawl's answers have to be known first, so this is done at its end, over the whole crawl,
and gives the same however often it is done (docs/spec/04-crawling.md, 4.9 Canonical and redirects).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from site_indexer.crawling.model import Outcome, RecordAction, block_of
from site_indexer.crawling.responses import Failure

_WITH_DOCUMENT = frozenset({Outcome.INDEXED, Outcome.UNCHANGED})
_READ = _WITH_DOCUMENT | {Outcome.NOT_WRITTEN}


class Admission(NamedTuple):
    """One turn whose rules let a URL in.

    ``judges_as``: the first of the blocks that judge as its block does. ``writes``: it lets the
    page be written.
    """

    turn: int
    judges_as: int
    writes: bool


class Stands(Protocol):
    """Whether a URL has a document as a turn begins."""

    def __call__(self, url: str, turn: int, written_in: Sequence[int], /) -> bool:
        """``written_in``: the turns of this run that wrote it, as far as they are before."""
        ...


@dataclass(frozen=True, slots=True)
class Candidate:
    """One URL as it was judged by itself.

    ``order``: those asked for first are lower. ``admitted``: the turns whose rules let it in, in
    order. ``judges_as``: the first of the blocks that judge as that one does whose judgement
    counts. ``redirect`` is where a redirect or a refresh leads; ``page`` is what a refreshing page
    would be if it were stored. ``canonical`` is the page that it names as its original. ``stored``
    and ``aliases`` are those of its document in the index.
    """

    url: str
    order: int
    outcome: Outcome
    action: RecordAction
    judges_as: int
    admitted: tuple[Admission, ...]
    redirect: str | None = None
    permanent: bool = False
    page: tuple[Outcome, RecordAction] | None = None
    canonical: str | None = None
    stored: bool = False
    aliases: tuple[str, ...] = ()

    def admission(self, like: Admission) -> Admission | None:
        """How the turn of another URL's admission lets this one in; None if it does not.

        Another turn of its block, or of a newer one that judges alike, speaks for it.
        """
        alike = None
        for mine in self.admitted:
            if mine.turn == like.turn:
                return mine
            is_older = block_of(mine.turn) < block_of(like.turn)
            if mine.judges_as == like.judges_as and not is_older:
                alike = mine
        return alike

    @property
    def keeps_document(self) -> bool:
        """Whether the index has a document for it after this crawl, judged by itself."""
        return self.outcome in _WITH_DOCUMENT or (
            self.stored and self.outcome is Outcome.NOT_WRITTEN
        )


@dataclass(frozen=True, slots=True)
class Settled:
    """What becomes of one URL among all others.

    ``target``: where a redirect leads (its next step), or the page that a duplicate is merged
    into. ``final``: the URL that it is stored under, None where it is not. ``failure`` is set for
    redirects without an end. ``aliases`` is the whole list that its document is to have instead
    of the one it has; an unchanged document is written for that. ``since``: the first turn in which
    a permanent redirect loses its document.
    """

    outcome: Outcome
    action: RecordAction
    target: str | None = None
    final: str | None = None
    failure: Failure | None = None
    aliases: tuple[str, ...] | None = None
    since: int | None = None


@dataclass(slots=True)
class _Graph:
    """The candidates of one settling, and what is known of them so far."""

    nodes: dict[str, Candidate]
    max_redirects: int
    stands: Stands
    originals: dict[str, str] = field(default_factory=dict)
    stored_refreshes: frozenset[str] = frozenset()


def settle(
    candidates: Iterable[Candidate], max_redirects: int, stands: Stands
) -> dict[str, Settled]:
    """Settle all URLs of a crawl.

    Exactly one document for any loop or pair of canonicals, never none; of pages that refresh to
    each other the one asked for first is stored; chains of more than ``max_redirects`` redirects
    fail, and so do loops that hold no page.
    """
    graph = _Graph({candidate.url: candidate for candidate in candidates}, max_redirects, stands)
    graph.stored_refreshes = frozenset(_refreshes_to_store(graph))
    graph.nodes.update({url: _stored_as_page(graph.nodes[url]) for url in graph.stored_refreshes})
    graph.originals = _originals(graph.nodes)
    settled = {url: _settled(graph, node) for url, node in graph.nodes.items()}
    return _with_aliases(graph.nodes, settled)


def _stored_as_page(node: Candidate) -> Candidate:
    outcome, action = node.page or (node.outcome, node.action)
    return Candidate(
        url=node.url,
        order=node.order,
        outcome=outcome,
        action=action,
        judges_as=node.judges_as,
        admitted=node.admitted,
        canonical=node.canonical,
        stored=node.stored,
        aliases=node.aliases,
    )


def _refreshes_to_store(graph: _Graph) -> Iterator[str]:
    """Of each loop of redirects that holds refreshing pages, the page asked for first."""
    edges = {
        node.url: node.redirect
        for node in graph.nodes.values()
        if node.redirect in graph.nodes and node.outcome is Outcome.REDIRECT
    }
    for loop in cycles(edges):
        pages = [graph.nodes[url] for url in loop if graph.nodes[url].page is not None]
        if pages:
            yield min(pages, key=lambda node: node.order).url


def cycles(edges: Mapping[str, str | None]) -> list[list[str]]:
    """The loops of a graph in which every node has at most one edge, each once."""
    found: list[list[str]] = []
    seen: set[str] = set()
    for start in edges:
        path: dict[str, int] = {}
        node: str | None = start
        while node is not None and node in edges and node not in seen and node not in path:
            path[node] = len(path)
            node = edges[node]
        if node is not None and node in path:
            found.append(list(path)[path[node] :])
        seen.update(path)
    return found


def _originals(nodes: Mapping[str, Candidate]) -> dict[str, str]:
    """For each page that is merged into its canonical: that canonical."""
    edges = {node.url: node.canonical for node in nodes.values() if _names_usable(node, nodes)}
    originals: dict[str, str] = {}
    in_loops: set[str] = set()
    for loop in cycles(edges):
        chosen = min((nodes[url] for url in loop), key=_preference).url
        originals.update({url: chosen for url in loop if url != chosen})
        in_loops.update(loop)
    # A canonical that names a third page is not taken, whatever becomes of that one.
    return originals | {
        url: canonical
        for url, canonical in edges.items()
        if url not in in_loops and canonical and nodes[canonical].canonical in (None, url)
    }


def _names_usable(node: Candidate, nodes: Mapping[str, Candidate]) -> bool:
    """Whether a page names a canonical that has a document and that its block's rules let in."""
    original = nodes.get(node.canonical or "")
    if original is None or node.outcome not in _WITH_DOCUMENT:
        return False
    if all(admission.judges_as != node.judges_as for admission in original.admitted):
        return False
    # An outage of a canonical that is in the index must not undo the merging.
    return original.keeps_document or (original.stored and original.outcome is Outcome.FAILED)


def _preference(node: Candidate) -> tuple[bool, int, str]:
    """The page of a loop to store: one that is stored already, else the shortest URL."""
    return (not node.stored, len(node.url), node.url)


def _settled(graph: _Graph, node: Candidate) -> Settled:
    if node.outcome is Outcome.REDIRECT:
        return _settled_redirect(graph, node)
    original = graph.originals.get(node.url)
    if original is None:
        final = node.url if node.keeps_document else None
        return Settled(node.outcome, node.action, target=node.canonical, final=final)
    out = graph.nodes[original].outcome is Outcome.FAILED
    action = RecordAction.KEEP if out else RecordAction.REMOVE
    return Settled(Outcome.DUPLICATE, action, target=original, final=original)


def _settled_redirect(graph: _Graph, node: Candidate) -> Settled:
    end, admitted, failure = _end_of(graph, node)
    if failure is not None:
        return Settled(Outcome.FAILED, RecordAction.KEEP, target=node.redirect, failure=failure)
    final: str | None = None
    since = None
    if end is not None:
        stored_as = graph.nodes[graph.originals.get(end.url, end.url)]
        # A canonical in an outage is what it was, and takes no redirect's document along.
        final = stored_as.url if stored_as is not end or end.keeps_document else None
        if node.permanent and stored_as.outcome in _READ:
            since = _merged_since(graph, stored_as, admitted)
    action = RecordAction.KEEP if since is None else RecordAction.REMOVE
    return Settled(Outcome.REDIRECT, action, target=node.redirect, final=final, since=since)


def _end_of(
    graph: _Graph, start: Candidate
) -> tuple[Candidate | None, tuple[Admission, ...], Failure | None]:
    """The page that a redirect ends at, or None where that is not known, or why it has no end.

    With it come the admissions of the redirect whose turns let in all that lies between.
    """
    visited = {start.url}
    admitted = start.admitted
    node = start
    while node.outcome is Outcome.REDIRECT:
        following = graph.nodes.get(node.redirect or "")
        if node.redirect in visited:
            return None, (), Failure.REDIRECT_LOOP
        if len(visited) > graph.max_redirects:
            return None, (), Failure.TOO_MANY_REDIRECTS
        if following is None:
            return None, (), None
        admitted = tuple(each for each in admitted if following.admission(each) is not None)
        if not admitted:
            return None, (), None
        visited.add(following.url)
        node = following
    return node, admitted, None


def _merged_since(graph: _Graph, end: Candidate, admitted: Iterable[Admission]) -> int | None:
    """The first of these turns of a redirect in which the page that it ends at has a document.

    A later turn that writes the page does not make an earlier one have merged the redirect.
    """
    for each in admitted:
        if end.stored:
            return each.turn
        here = end.admission(each)
        if here is None:
            continue
        written = [mine.turn for mine in end.admitted if mine.writes and mine.turn < each.turn]
        if here.writes or graph.stands(end.url, each.turn, written):
            return each.turn
    return None


def _with_aliases(
    nodes: Mapping[str, Candidate], settled: dict[str, Settled]
) -> dict[str, Settled]:
    """Add to each document that is written, or has to be for this, the list of its aliases."""
    aliases: dict[str, list[str]] = {}
    for url, state in settled.items():
        if state.final is not None and state.final != url and _is_alias(nodes[url], state):
            aliases.setdefault(state.final, []).append(url)
    for url, state in settled.items():
        node = nodes[url]
        if state.final != url or state.outcome not in _WITH_DOCUMENT:
            continue
        kept = [alias for alias in node.aliases if not _is_elsewhere(settled.get(alias), url)]
        wanted = tuple(sorted({*kept, *aliases.get(url, ())}))
        if wanted != tuple(sorted(node.aliases)):
            settled[url] = Settled(
                Outcome.INDEXED, RecordAction.WRITE, state.target, state.final, None, wanted
            )
    return settled


def _is_alias(node: Candidate, state: Settled) -> bool:
    """A temporary redirect whose source has a document of its own is no alias of its target."""
    return state.outcome is Outcome.DUPLICATE or node.permanent or not node.stored


def _is_elsewhere(alias: Settled | None, url: str) -> bool:
    """Whether this crawl found an alias of ``url`` gone, or a page, or an alias elsewhere."""
    if alias is None:
        return False
    if alias.outcome in (Outcome.GONE, Outcome.NOINDEX):
        return True
    return alias.final is not None and alias.final != url
