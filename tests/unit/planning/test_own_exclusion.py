"""Which rule surely excludes a mask (docs/spec/03-planning.md, 3.7)."""

from __future__ import annotations

import datetime as dt

from hypothesis import given
from hypothesis import strategies as st

from site_indexer.index_script.model import Action, Command
from site_indexer.masks import Mask, compile_mask, covers, disjoint
from site_indexer.planning.own_exclusion import OwnExclusions
from site_indexer.urls.kinds import MaskKind

NOW = dt.datetime(2026, 6, 15, tzinfo=dt.UTC)
MASKS = st.sampled_from(
    [
        *("https://h/", "https://h/a", "https://h/a/", "https://h/a/b", "https://i/"),
        *("*.pdf", "*", "https://h/a*", "https://h/a/*.pdf", "*/a/*", "https://*/a"),
    ]
).map(lambda text: (text, MaskKind.WILDCARD if "*" in text else MaskKind.PREFIX))
ANY_MASKS = MASKS | st.sampled_from(["^https://h/a", "a$"]).map(
    lambda text: (text, MaskKind.REGEXP)
)
ACTIONS = st.sampled_from([Action.INCLUDE, Action.EXCLUDE, Action.EXCLUDE, Action.EXCLUDE_DAYS])
RULES = st.lists(
    st.builds(
        lambda action, mask: Command(
            1, action, mask=mask[0], mask_kind=mask[1], days=3 if "days" in action else None
        ),
        ACTIONS,
        ANY_MASKS,
    ),
    max_size=6,
)


def plain(rules: list[Command], mask: Mask) -> int | None:
    """The place of that rule, looked for one by one."""
    for place, rule in enumerate(rules):
        own = compile_mask(rule.mask or "", rule.mask_kind or MaskKind.PREFIX)
        if disjoint(own, mask):
            continue
        if rule.action is Action.INCLUDE:
            return None
        if rule.action is Action.EXCLUDE and covers(own, mask):
            return place
    return None


@given(RULES, ANY_MASKS)
def test_it_is_the_one_that_a_plain_search_finds(
    rules: list[Command], written: tuple[str, MaskKind]
) -> None:
    numbered = [
        Command(line, r.action, mask=r.mask, mask_kind=r.mask_kind, days=r.days)
        for line, r in enumerate(rules)
    ]
    mask = compile_mask(*written)
    found = OwnExclusions(numbered, (), now=NOW, zone=dt.UTC).of_mask(mask)
    assert (found and found.line) == plain(numbered, mask)
