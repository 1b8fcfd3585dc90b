"""A crawl whose turn another has taken over ends, and goes on later (5.11 The crawl turn)."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from demo_site import expected
from demo_site.faults import Fault
from site_indexer.errors import CrawlTurnTakenError
from site_indexer.index_script.model import Action
from site_indexer.index_store.change_sets import ChangeSet
from site_indexer.index_store.crawl_turn import TURN_VARIABLE
from site_indexer.index_store.instants import iso
from site_indexer.index_store.names import SiteNames
from site_indexer.index_store.state import StateStore
from site_indexer.indexing.crawling import crawl
from site_indexer.indexing.model import RunStatus
from site_indexer.indexing.plan_making import make_plan
from site_indexer.indexing.run import run
from site_indexer.indexing.script_reading import read_script
from tests.integration.indexing.conftest import Workbench

pytestmark = pytest.mark.opensearch

LONGEST_WAIT_S = 60.0
ENOUGH = 40
"""So many pages are recorded when the turn goes; there are more than a hundred."""

ANOTHER = "run-2/add/7"


class Thief:
    """Takes a site's turn over, as another run does once it has run out."""

    def __init__(self, workbench: Workbench) -> None:
        self.store = StateStore(workbench.collaborators.client)
        self.site = workbench.site
        self.key = f"crawl-turn:{workbench.site}"

    def take(self) -> None:
        until = dt.datetime.now(dt.UTC) + dt.timedelta(hours=1)
        turn = {"kind": "crawl-turn", "site": self.site, "owner": ANOTHER, "token": "another"}
        taken = False
        while not taken:  # its owner renews it meanwhile
            seen = self.store.read(self.key)
            taken = self.store.replace(self.key, {**turn, "until": iso(until)}, seen)

    def give_back(self) -> None:
        self.store.remove(self.key)


def test_it_ends_soon_keeps_what_it_recorded_and_goes_on_from_there(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TURN_VARIABLE, "0.5")
    web, names = workbench.web, SiteNames(workbench.site)
    thief = Thief(workbench)
    request = workbench.request()
    digest = read_script(workbench.collaborators, request).digest
    assert digest is not None
    make_plan(workbench.collaborators, request, digest)
    urls = expected.after_run(web.url).documents
    late = {url.removeprefix(web.url) for url in urls if url.startswith(f"{web.url}/ar/")}
    for path in late:
        web.faults.set(path, Fault(stall=True))
    change_set = ChangeSet.open(workbench.collaborators.client, names, digest)
    with ThreadPoolExecutor(1) as thread:
        ends = thread.submit(crawl, workbench.collaborators, request, digest, Action.ADD)
        wait_for(lambda: change_set.counts()["pages"] >= ENOUGH)
        thief.take()
        with pytest.raises(CrawlTurnTakenError, match=r"run-2/add/7.*it goes on later"):
            ends.result(LONGEST_WAIT_S)

    assert change_set.completions() == {}
    # What rules left out is asked for anew (04-crawling.md, 4.8).
    done = {each.url for each in change_set.pages() if each.facts["outcome"] != "excluded"}
    assert len(done) >= ENOUGH

    thief.give_back()
    web.faults.clear()
    web.requests.clear()
    assert run(workbench.collaborators, request).status is RunStatus.PUBLISHED
    assert not done & {f"{web.url}{each.path}" for each in web.requests.all()}
    assert expected.after_run(web.url).problems(workbench.documents()) == []


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LONGEST_WAIT_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)
