from __future__ import annotations

import datetime as dt
import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from site_indexer.index_store.generations import Generation
from site_indexer.index_store.instants import iso
from site_indexer.index_store.names import Target
from site_indexer.index_store.retention import CHAIN_REACHES, closable, is_stale, kept_names

NOW = dt.datetime(2026, 5, 10, 12, tzinfo=dt.UTC)
HOUR = dt.timedelta(hours=1)
DAY = dt.timedelta(days=1)


def generation(
    name: str,
    age: dt.timedelta,
    *,
    current: tuple[Target, ...] = (),
    aliases: tuple[str, ...] = (),
    published: bool = True,
    **meta: object,
) -> Generation:
    at = iso(NOW - age)
    return Generation(
        name=name,
        meta={
            "generation": name,
            "published_at": at if published else None,
            "started_at": at,
            **meta,
        },
        aliases=aliases or tuple(target.value for target in current),
        current=current,
        open=True,
        sealed=True,
        disk_full=False,
        shards=1,
        created_at=NOW - age,
    )


LIVE = generation("live", 0 * HOUR, current=(Target.LIVE,))


def test_the_newest_before_the_current_are_kept() -> None:
    others = [generation(f"{hours}h", hours * HOUR) for hours in range(1, 6)]
    assert kept_names([LIVE, *others], keep=3, now=NOW) == {"live", "1h", "2h", "3h", "5h"}


def test_and_one_about_one_two_and_three_days_old() -> None:
    hours = [1, 2, 20, 25, 26, 47, 48, 83, 85, 120]
    others = [generation(f"{each}h", each * HOUR) for each in hours]
    assert kept_names([LIVE, *others], keep=1, now=NOW) == {
        "live",
        "1h",
        "25h",
        "48h",
        "83h",
    }


@given(
    st.one_of(
        st.integers(10, 2 * 24 * 60).map(lambda minutes: [minutes]),
        st.lists(st.integers(10, 2 * 24 * 60), min_size=2, max_size=12),
    ),
    st.integers(0, 4),
    st.integers(0, 3 * 24 * 60),
)
@settings(max_examples=60)
def test_however_often_a_site_publishes_there_is_one_of_about_each_age(
    pauses: list[int], keep: int, quiet: int
) -> None:
    """A week of publishing at these intervals in turn, and as many minutes without one after it.

    "About" is half a day, or what all of the last three and a half days could give at best.
    """
    minute = dt.timedelta(minutes=1)
    made, left = [0 * minute], [0 * minute]
    for pause in itertools.cycle(pauses):
        made, left = aged(made, pause * minute), pruned(aged(left, pause * minute), keep)
        if made[-1] > 7 * DAY:
            break
    made, left = aged(made, quiet * minute)[1:], pruned(aged(left, quiet * minute)[1:], keep)
    assert len(left) <= 1 + keep + 8
    for days in (1, 2, 3):
        off = [abs(age - days * DAY) for age in made[1:] if age <= CHAIN_REACHES]
        assert not off or min(abs(age - days * DAY) for age in left[1:]) <= max(min(off), DAY / 2)


def aged(ages: list[dt.timedelta], by: dt.timedelta) -> list[dt.timedelta]:
    """Generations that are older now, and a new one."""
    return [0 * HOUR, *(age + by for age in ages)]


def pruned(ages: list[dt.timedelta], keep: int) -> list[dt.timedelta]:
    """What stays of generations of these ages, the first of which is live."""
    first, *others = (generation(str(age), age) for age in ages)
    live = generation(first.name, ages[0], current=(Target.LIVE,))
    kept = kept_names([live, *others], keep=keep, now=NOW)
    return [age for age in ages if str(age) in kept]


def test_what_staged_began_from_and_what_others_point_to_is_kept() -> None:
    staged = generation("staged", HOUR, current=(Target.STAGED,), base_live="old")
    old = generation("old", 9 * DAY)
    pinned = generation("pinned", 10 * DAY, aliases=("exhibition",))
    assert kept_names([LIVE, staged, old, pinned], keep=0, now=NOW) == {
        "live",
        "staged",
        "old",
        "pinned",
    }


def test_closed_half_an_hour_after_a_successor_came() -> None:
    fresh = generation("live", dt.timedelta(minutes=29), current=(Target.LIVE,))
    previous, older = generation("previous", 5 * HOUR), generation("older", 9 * HOUR)
    assert closable([fresh, previous, older], NOW) == [older]
    later = NOW + dt.timedelta(minutes=1)
    assert closable([fresh, previous, older], later) == [previous, older]


def test_one_that_was_rolled_back_from_is_closed_too() -> None:
    shown = generation("shown", 5 * HOUR, current=(Target.LIVE,))
    assert closable([generation("newer", HOUR), shown], NOW)[0].name == "newer"


def test_only_its_own_unpublished_ones_of_an_hour_ago_are_stale() -> None:
    assert is_stale(generation("a", HOUR, published=False), NOW)
    assert not is_stale(generation("a", HOUR / 2, published=False), NOW)
    assert not is_stale(generation("a", HOUR), NOW)
    assert not is_stale(generation("a", HOUR, published=False, generation="b"), NOW)
    assert not is_stale(generation("a", HOUR, published=False, current=(Target.LIVE,)), NOW)
    assert not is_stale(generation("a", HOUR, published=False, aliases=("x",)), NOW)


def test_staged_generations_take_no_place_of_lives() -> None:
    staged = [generation(f"s{n}", n * HOUR, target="staged") for n in range(1, 6)]
    live = [generation(f"l{n}", (n + 6) * HOUR, target="live") for n in range(1, 6)]
    assert kept_names([LIVE, *staged, *live], keep=2, now=NOW) == {
        "live",
        "s1",
        "s2",
        "l1",
        "l2",
        "l5",
    }


def test_what_live_showed_until_now_stays_open_whatever_was_staged_before() -> None:
    staged = generation("s", 2 * HOUR, target="staged", current=(Target.STAGED,))
    before = generation("l", 3 * HOUR, target="live")
    new = generation("new", 0 * HOUR, target="live", current=(Target.LIVE,))
    assert closable([new, staged, before], NOW) == []
    assert closable([new, staged, before], NOW + HOUR) == [before]
