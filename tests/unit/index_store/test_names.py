from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_indexer.errors import ConfigurationError
from site_indexer.index_store.names import SiteNames, Target, check_site_id

MOMENT = dt.datetime(2026, 5, 1, 9, 8, 7, 999_999, tzinfo=dt.UTC)
site_ids = st.from_regex(r"[a-z0-9][a-z0-9-]{0,60}", fullmatch=True)


def usable(site: str) -> bool:
    try:
        check_site_id(site)
    except ConfigurationError:
        return False
    return True


def test_the_names_of_a_site() -> None:
    names = SiteNames("shop-fr")
    assert names.alias(Target.LIVE) == "shop-fr.live"
    assert names.alias(Target.STAGED) == "shop-fr.staged"
    assert names.none_index == "shop-fr.none"
    assert names.none_alias == "shop-fr.staged-none"
    assert names.generation(MOMENT) == "shop-fr.g-20260501t090807z"
    assert names.changes("ab" * 16) == f"shop-fr.changes-{'ab' * 16}"


def test_a_generation_is_named_in_utc() -> None:
    madrid = MOMENT.astimezone(dt.timezone(dt.timedelta(hours=2)))
    assert SiteNames("a").generation(madrid) == "a.g-20260501t090807z"


@pytest.mark.parametrize("digest", ["", "xyz", "ab/cd", "ABCDEF0123", "a" * 65, "ab12cd34\n"])
def test_what_is_no_digest_names_no_change_set(digest: str) -> None:
    with pytest.raises(ValueError, match="not the digest"):
        SiteNames("a").changes(digest)


@pytest.mark.parametrize(
    "name",
    [
        "a.g-20260501t090807z-2",
        "xa.g-20260501t090807z",
        "a.g-20260501T090807Z",
        "a.g-2026",
        "a.g-20260501t090807z\n",
        "a.live",
        "aXg-20260501t090807z",
    ],
)
def test_only_the_whole_name_makes_a_generation(name: str) -> None:
    assert not SiteNames("a").is_generation(name)


@pytest.mark.parametrize("site", ["", "-a", "A", "a.b", "a_b", "a b", "a" * 62, "á", "a\n", "*"])
def test_ids_that_no_site_can_have(site: str) -> None:
    with pytest.raises(ConfigurationError) as error:
        SiteNames(site)
    assert "lower-case letters" in str(error.value)


@pytest.mark.parametrize("site", ["token-shop", "my-secret", "proxydocs", "bearer", "dsn"])
def test_ids_that_airflow_would_mask_say_so(site: str) -> None:
    with pytest.raises(ConfigurationError, match="Airflow"):
        SiteNames(site)


@given(site_ids.filter(usable), site_ids.filter(usable))
def test_names_of_one_site_never_fit_another(one: str, other: str) -> None:
    mine, theirs = SiteNames(one), SiteNames(other)
    same = one == other
    assert theirs.is_generation(mine.generation(MOMENT)) is same
    assert theirs.is_changes(mine.changes("ab12cd34")) is same
    if not same:
        owned = {mine.alias(each) for each in Target} | {mine.none_index, mine.none_alias}
        assert not owned & {theirs.none_index, theirs.none_alias, *map(theirs.alias, Target)}
        assert not any(name.startswith(f"{other}.") for name in owned)
