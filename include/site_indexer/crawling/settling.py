"""Which URL a page is stored under in the end: redirects, refreshes, canonicals; no I/O.

All of a crawl's answers have to be known first, so this is done at its end, over the whole crawl,
and gives the same however often it is done (docs/spec/04-crawling.md, 4.9 Canonical and redirects).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from site_indexer.crawling.model import Outcome, RecordAction
from site_indexer.crawling.responses import Failure

_WITH_DOCUMENT = frozenset({Outcome.INDEXED, Outcome.UNCHANGED})


@dataclass(frozen=True, slots=True)
class Candidate:
    """One URL as it was judged by itself.

    ``order``: those asked for first are lower. ``admitted_by``: the blocks whose rules let it in;
    ``block``: the one whose judgement counts. ``redirect`` is where a redirect or a refresh leads;
    ``page`` is what a refreshing page would be if it were stored. ``canonical`` is the page that
    it names as its original. ``stored`` and ``aliases`` are those of its document in the index.
    """

    url: str
    order: int
    outcome: Outcome
    action: RecordAction
    block: int
    admitted_by: frozenset[int]
    redirect: str | None = None
    permanent: bool = False
    page: tuple[Outcome, RecordAction] | None = None
    canonical: str | None = None
    stored: bool = False
    aliases: tuple[str, ...] = ()

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
    of the one it has; an unchanged document is written for that.
    """

    outcome: Outcome
    action: RecordAction
    target: str | None = None
    final: str | None = None
    failure: Failure | None = None
    aliases: tuple[str, ...] | None = None


@dataclass(slots=True)
class _Graph:
    """The candidates of one settling, and what is known of them so far."""

    nodes: dict[str, Candidate]
    max_redirects: int
    originals: dict[str, str] = field(default_factory=dict)
    stored_refreshes: frozenset[str] = frozenset()


def settle(candidates: Iterable[Candidate], max_redirects: int) -> dict[str, Settled]:
    """Settle all URLs of a crawl.

    Exactly one document for any loop or pair of canonicals, never none; of pages that refresh to
    each other the one asked for first is stored; chains of more than ``max_redirects`` redirects
    fail, and so do loops that hold no page.
    """
    graph = _Graph({candidate.url: candidate for candidate in candidates}, max_redirects)
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
        block=node.block,
        admitted_by=node.admitted_by,
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
    if node.block not in original.admitted_by:
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
    end, failure = _end_of(graph, node)
    if failure is not None:
        return Settled(Outcome.FAILED, RecordAction.KEEP, target=node.redirect, failure=failure)
    final: str | None = None
    if end is not None:
        final = graph.originals.get(end.url) or (end.url if end.keeps_document else None)
    merged = final is not None and node.permanent and graph.nodes[final].keeps_document
    action = RecordAction.REMOVE if merged else RecordAction.KEEP
    return Settled(Outcome.REDIRECT, action, target=node.redirect, final=final)


def _end_of(graph: _Graph, start: Candidate) -> tuple[Candidate | None, Failure | None]:
    """The page that a redirect ends at, or None where that is not known, or why it has no end."""
    visited = {start.url}
    node = start
    while node.outcome is Outcome.REDIRECT:
        following = graph.nodes.get(node.redirect or "")
        if node.redirect in visited:
            return None, Failure.REDIRECT_LOOP
        if len(visited) > graph.max_redirects:
            return None, Failure.TOO_MANY_REDIRECTS
        if following is None or not following.admitted_by & start.admitted_by:
            return None, None
        visited.add(following.url)
        node = following
    return node, None


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
