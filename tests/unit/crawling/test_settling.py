from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from site_indexer.crawling.model import Outcome, RecordAction
from site_indexer.crawling.responses import Failure
from site_indexer.crawling.settling import Admission, Candidate, Settled, cycles, settle

H = "https://h.test"
WRITE, KEEP, REMOVE = RecordAction.WRITE, RecordAction.KEEP, RecordAction.REMOVE
_ACTIONS = {Outcome.INDEXED: WRITE, Outcome.GONE: REMOVE, Outcome.NOINDEX: REMOVE}


def nothing_else(url: str, turn: int, written_in: Sequence[int]) -> bool:
    """No document but those that the candidates state."""
    del url, turn, written_in
    return False


def page(name: str, order: int = 0, outcome: Outcome = Outcome.INDEXED, **more: Any) -> Candidate:
    writes = outcome in (Outcome.INDEXED, Outcome.UNCHANGED)
    values = {"judges_as": 0, "admitted": (Admission(0, 0, writes=writes),), **more}
    for field in ("canonical", "redirect"):
        if values.get(field):
            values[field] = f"{H}/{values[field]}"
    if "aliases" in values:
        values["aliases"] = tuple(f"{H}/{alias}" for alias in values["aliases"])
    return Candidate(
        url=f"{H}/{name}",
        order=order,
        outcome=outcome,
        action=_ACTIONS.get(outcome, KEEP),
        **values,
    )


def redirect(name: str, to: str | None, *, permanent: bool = True, **more: Any) -> Candidate:
    return page(name, outcome=Outcome.REDIRECT, redirect=to, permanent=permanent, **more)


def refresh(name: str, to: str, order: int = 0, **more: Any) -> Candidate:
    return page(name, order, Outcome.REDIRECT, redirect=to, page=(Outcome.INDEXED, WRITE), **more)


def settled(*candidates: Candidate, max_redirects: int = 10) -> dict[str, Settled]:
    states = settle(candidates, max_redirects, nothing_else)
    return {url.removeprefix(f"{H}/"): state for url, state in states.items()}


def documents(*candidates: Candidate, max_redirects: int = 10) -> dict[str, list[str]]:
    """The stored documents after publishing, each with its aliases."""
    states = settled(*candidates, max_redirects=max_redirects)
    found: dict[str, list[str]] = {}
    for candidate in candidates:
        name = candidate.url.removeprefix(f"{H}/")
        state = states[name]
        if state.action is WRITE or (candidate.stored and state.action is KEEP):
            aliases = candidate.aliases if state.aliases is None else state.aliases
            found[name] = [alias.removeprefix(f"{H}/") for alias in aliases]
    return found


def test_pages_by_themselves_stay_as_they_were_judged() -> None:
    states = settled(page("a"), page("b", outcome=Outcome.GONE), page("c", outcome=Outcome.FAILED))
    assert states["a"] == Settled(Outcome.INDEXED, WRITE, final=f"{H}/a")
    assert states["b"] == Settled(Outcome.GONE, REMOVE)
    assert states["c"] == Settled(Outcome.FAILED, KEEP)


def test_a_page_is_merged_into_its_canonical() -> None:
    states = settled(page("a", canonical="c", stored=True), page("c"))
    assert states["a"] == Settled(Outcome.DUPLICATE, REMOVE, f"{H}/c", f"{H}/c")
    assert states["c"].aliases == (f"{H}/a",)


def test_a_canonical_that_is_no_page_is_not_taken() -> None:
    for outcome in (Outcome.GONE, Outcome.NOINDEX, Outcome.FAILED, Outcome.UNSUPPORTED):
        assert documents(page("a", canonical="c"), page("c", outcome=outcome)) == {"a": []}
    assert documents(page("a", canonical="never-fetched")) == {"a": []}
    states = settled(page("a", canonical="c"), redirect("c", "a"))
    assert states["a"].final == f"{H}/a"
    assert states["c"].final == f"{H}/a"


def test_a_canonical_that_names_a_third_page_is_not_taken() -> None:
    found = documents(page("a", canonical="b"), page("b", canonical="c"), page("c"))
    assert found == {"a": [], "c": ["b"]}


def test_a_canonical_that_the_rules_leave_out_is_not_taken() -> None:
    other = page("c", judges_as=1, admitted=(Admission(2, 1, writes=True),))
    assert documents(page("a", canonical="c"), other) == {"a": [], "c": []}


def test_a_canonical_in_an_outage_stays_the_original_if_it_is_indexed() -> None:
    out = page("c", outcome=Outcome.FAILED, stored=True, aliases=["a"])
    assert documents(page("a", canonical="c"), out) == {"c": ["a"]}
    states = settled(page("a", canonical="c", stored=True), out)
    assert states["a"].action is KEEP


def test_a_canonical_whose_command_forbids_writing_keeps_its_document_and_its_duplicates() -> None:
    kept = page("c", outcome=Outcome.NOT_WRITTEN, stored=True)
    assert documents(page("a", canonical="c"), kept) == {"c": []}
    assert documents(page("a", canonical="c"), dataclasses.replace(kept, stored=False)) == {"a": []}


def test_of_a_pair_the_stored_one_stays() -> None:
    pair = (page("a", canonical="bb"), page("bb", canonical="a"))
    assert documents(*pair) == {"a": ["bb"]}
    stored = (pair[0], page("bb", canonical="a", outcome=Outcome.UNCHANGED, stored=True))
    assert documents(*stored) == {"bb": ["a"]}


def test_a_permanent_redirect_takes_the_document_along() -> None:
    states = settled(redirect("old", "new", stored=True), page("new"))
    assert states["old"] == Settled(Outcome.REDIRECT, REMOVE, f"{H}/new", f"{H}/new", since=0)
    assert states["new"].aliases == (f"{H}/old",)


def admissions(*found: tuple[int, bool]) -> tuple[Admission, ...]:
    """Turns, each with whether it writes, of blocks that all judge differently."""
    return tuple(Admission(turn, turn // 2, writes=writes) for turn, writes in found)


def test_a_permanent_redirect_loses_its_document_in_the_first_turn_that_finds_the_other() -> None:
    """docs/spec/04-crawling.md, 4.9: a write of a later block does not merge for an older one."""
    old = redirect("old", "new", stored=True, admitted=admissions((2, True), (4, True)))

    def since(*turns: tuple[int, bool], **more: Any) -> int | None:
        new = page("new", admitted=admissions(*turns), **more)
        return settled(old, new)["old"].since

    assert since((2, True), (4, True)) == 2
    assert since((2, False), (4, True)) == 4
    assert since((4, True)) == 4
    assert since((2, False), (6, True)) is None
    assert since((2, False), (6, True), stored=True) == 2


def test_whether_an_older_block_wrote_it_is_asked_as_others_may_have_removed_it() -> None:
    asked: list[tuple[str, int, list[int]]] = []

    def stands(url: str, turn: int, written_in: Sequence[int]) -> bool:
        asked.append((url.removeprefix(f"{H}/"), turn, list(written_in)))
        return turn == 6

    old = redirect("old", "new", admitted=admissions((4, True), (6, True)))
    new = page("new", admitted=admissions((0, True), (4, False), (6, False)))
    states = settle([old, new], 10, stands)
    assert states[old.url].since == 6
    assert asked == [("new", 4, [0]), ("new", 6, [0])]


def test_all_of_a_chain_must_be_let_in_by_one_block() -> None:
    chain = (
        redirect("a", "b", stored=True, admitted=admissions((0, True), (2, True))),
        redirect("b", "c", admitted=admissions((0, True))),
        page("c", admitted=admissions((2, True))),
    )
    assert settled(*chain)["a"].final is None


def test_a_newer_block_that_judges_alike_speaks_for_a_redirect() -> None:
    old = redirect("old", "new", stored=True, admitted=(Admission(2, 0, writes=True),))
    new = page("new", admitted=(Admission(6, 0, writes=True),))
    assert settled(old, new)["old"].since == 2
    older = page("new", admitted=(Admission(0, 0, writes=True),))
    assert settled(old, older)["old"].final is None


def test_a_temporary_redirect_keeps_its_document_and_is_then_no_alias() -> None:
    stored = redirect("old", "new", permanent=False, stored=True)
    assert documents(stored, page("new")) == {"old": [], "new": []}
    assert documents(dataclasses.replace(stored, stored=False), page("new")) == {"new": ["old"]}


def test_a_redirect_whose_end_has_no_document_keeps_its_own() -> None:
    old = redirect("old", "new", stored=True)
    for outcome in (Outcome.GONE, Outcome.NOINDEX, Outcome.FAILED, Outcome.EXCLUDED):
        assert documents(old, page("new", outcome=outcome)) == {"old": []}
    assert documents(old) == {"old": []}
    assert documents(redirect("old", None, stored=True)) == {"old": []}
    left_out = page("new", judges_as=1, admitted=(Admission(2, 1, writes=True),))
    assert documents(old, left_out) == {"old": [], "new": []}


def test_redirects_lead_on_to_canonicals() -> None:
    found = documents(redirect("r", "a"), page("a", canonical="c"), page("c"))
    assert found == {"c": ["a", "r"]}


def test_aliases_that_were_not_met_stay_and_those_found_elsewhere_go() -> None:
    known = page("a", outcome=Outcome.UNCHANGED, stored=True, aliases=["x", "y", "z"])
    states = settled(known, page("y"), page("z", outcome=Outcome.FAILED))
    assert states["a"].aliases == (f"{H}/x", f"{H}/z")
    assert (states["a"].outcome, states["a"].action) == (Outcome.INDEXED, WRITE)


def test_an_unchanged_document_with_all_its_aliases_is_not_written() -> None:
    known = page("a", outcome=Outcome.UNCHANGED, stored=True, aliases=["old"])
    states = settled(known, redirect("old", "a"))
    assert states["a"] == Settled(Outcome.UNCHANGED, KEEP, final=f"{H}/a")


def test_a_loop_of_redirects_fails_and_so_does_what_leads_into_it() -> None:
    states = settled(redirect("in", "a"), redirect("a", "b"), redirect("b", "a"))
    assert {state.failure for state in states.values()} == {Failure.REDIRECT_LOOP}
    assert {state.action for state in states.values()} == {KEEP}
    assert settled(redirect("a", "a"))["a"].failure is Failure.REDIRECT_LOOP


def test_too_many_redirects_fail() -> None:
    chain = [redirect(f"r{n}", f"r{n + 1}") for n in range(3)]
    assert documents(*chain, page("r3"), max_redirects=3) == {"r3": ["r0", "r1", "r2"]}
    states = settled(*chain, page("r3"), max_redirects=2)
    assert states["r0"].failure is Failure.TOO_MANY_REDIRECTS
    assert states["r1"].final == f"{H}/r3"


def test_of_pages_that_refresh_to_each_other_the_one_asked_for_first_is_stored() -> None:
    pair = (refresh("a", "b", order=5), refresh("b", "a", order=2))
    assert documents(*pair) == {"b": ["a"]}
    assert documents(refresh("a", "b"), redirect("b", "a", permanent=False)) == {"a": ["b"]}


def test_a_refresh_is_a_temporary_redirect() -> None:
    assert documents(refresh("a", "b"), page("b")) == {"b": ["a"]}
    assert documents(refresh("a", "b", stored=True), page("b")) == {"a": [], "b": []}


graphs = st.dictionaries(st.integers(0, 7), st.integers(0, 7), max_size=8)


@given(graphs)
def test_cycles_are_those_of_the_graph(edges: dict[int, int]) -> None:
    names = {f"n{a}": f"n{b}" for a, b in edges.items()}
    on_cycle: set[str] = set()
    for start, after in names.items():
        node: str | None = after
        for _ in range(len(names)):
            if node == start:
                on_cycle.add(start)
            node = names.get(node or "")
    found = cycles(names)
    assert sorted(url for loop in found for url in loop) == sorted(on_cycle)
    for loop in found:
        assert [names[url] for url in loop] == [*loop[1:], loop[0]]


@given(st.integers(2, 12), st.data())
def test_a_loop_of_canonicals_of_any_size_gives_exactly_one_document(
    size: int, data: st.DataObject
) -> None:
    stored = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    order = data.draw(st.permutations(range(size)))
    loop = [
        page(
            f"p{n}",
            canonical=f"p{(n + 1) % size}",
            stored=stored[n],
            outcome=Outcome.UNCHANGED if stored[n] else Outcome.INDEXED,
        )
        for n in order
    ]
    found = documents(*loop)
    assert len(found) == 1
    ((name, aliases),) = found.items()
    assert sorted([name, *aliases]) == sorted(f"p{n}" for n in range(size))
    if any(stored):
        assert stored[int(name[1:])]


names = st.sampled_from([f"p{n}" for n in range(6)])
outcomes = st.sampled_from([Outcome.INDEXED, Outcome.UNCHANGED, Outcome.NOT_WRITTEN])


@st.composite
def sites(draw: st.DrawFn) -> list[Candidate]:
    """Sites of pages, redirects and refreshes that lead anywhere."""
    found: list[Candidate] = []
    for n in range(draw(st.integers(1, 6))):
        name, kind = f"p{n}", draw(st.integers(0, 3))
        target = draw(names)
        stored = draw(st.booleans())
        if kind == 0:
            found.append(redirect(name, target, permanent=draw(st.booleans()), stored=stored))
        elif kind == 1 and target != name:
            found.append(refresh(name, target, order=n, stored=stored))
        else:
            outcome = draw(outcomes)
            canonical = target if kind == 3 and target != name else None
            stored = stored or outcome is Outcome.UNCHANGED
            found.append(page(name, n, outcome, canonical=canonical, stored=stored))
    return found


@given(sites())
def test_every_page_that_may_be_written_is_found_under_exactly_one_document(
    site: list[Candidate],
) -> None:
    states = settle(site, 10, nothing_else)
    by_url = {candidate.url: candidate for candidate in site}
    with_document = {
        url
        for url, state in states.items()
        if state.outcome in (Outcome.INDEXED, Outcome.UNCHANGED)
        or (by_url[url].stored and state.action is KEEP)
    }
    for url, state in states.items():
        if by_url[url].outcome in (Outcome.INDEXED, Outcome.UNCHANGED):
            assert state.final in with_document
        if state.final is not None:
            assert states[state.final].final == state.final
        if state.action is REMOVE:
            assert state.final is not None
            assert state.final != url
    listed = [alias for state in states.values() for alias in state.aliases or ()]
    assert len(listed) == len(set(listed))


@given(sites(), st.randoms())
def test_the_order_of_the_records_does_not_matter(site: list[Candidate], random: Any) -> None:
    shuffled = list(site)
    random.shuffle(shuffled)
    assert settle(shuffled, 10, nothing_else) == settle(site, 10, nothing_else)
