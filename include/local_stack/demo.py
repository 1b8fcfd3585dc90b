"""The demo: a site's script run by Airflow, shown, changed, and run again."""

from __future__ import annotations

import datetime as dt
import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from demo_site.server import RunningSite
from demo_site.server import running as demo_site_running
from demo_site.state import StateDirectory
from local_opensearch import Node
from local_opensearch.places import default_heap_mb, default_http_port
from local_stack.airflow_api import AirflowApi
from local_stack.airflow_process import PROJECT, AirflowStandalone, require_free
from local_stack.errors import DemoFailedError
from local_stack.following import FinishedRun, follow, wait_for_dag
from site_indexer.index_store.names import Target
from site_indexer.indexing import inspection
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.settings import Settings
from site_indexer.indexing.wiring import build_collaborators

SITE = "demo"
DAG = f"{SITE}_script"
WATERMARK_KEYS = re.compile(r"site_indexer__.+__(live|staged)__watermark")
VARIABLE = f"site_indexer__{SITE}__live__watermark"
DEMO_PORT = 8300
QUERY = "lighthouse"
START_WAIT_S = 180.0
RUN_WAIT_S = 180.0


@dataclass(frozen=True, slots=True)
class Stack:
    """What runs while the demo does."""

    airflow: AirflowStandalone
    api: AirflowApi
    site: RunningSite
    opensearch_url: str
    collaborators: Collaborators


def say(line: str = "") -> None:
    """Write a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def state_folder() -> Path:
    """Where the demo keeps its state: ``demo`` in ``SITE_INDEXER_STATE``, default ``.state``."""
    return Path(os.environ.get("SITE_INDEXER_STATE") or PROJECT / ".state") / "demo"


@contextmanager
def running_stack(state: Path, airflow_port: int) -> Iterator[Stack]:
    """OpenSearch, the demo site and Airflow, from empty; all end with the context.

    Airflow keeps its database, so that the runs of earlier demos can be looked at.
    """
    # Before anything is deleted: what runs there may be another demo on the same folder.
    require_free(airflow_port, "Airflow", "set SITE_INDEXER_AIRFLOW_PORT to a free port")
    require_free(
        default_http_port(), "OpenSearch", "set SITE_INDEXER_OPENSEARCH_PORT to a free port"
    )
    require_free(DEMO_PORT, "the demo site", "wait until it has ended")
    node = Node(state / "opensearch", default_http_port(), heap_mb=default_heap_mb())
    node.reset()
    demo_state = state / "demo-site"
    StateDirectory(demo_state).reset()
    say("Starting OpenSearch (empty), the demo site and Airflow: this takes up to a minute ...")
    # Airflow takes longest: it starts first and is waited for last.
    url = f"http://127.0.0.1:{default_http_port()}"
    environment = {
        "SITE_INDEXER_OPENSEARCH_URL": url,
        "SITE_INDEXER_SITES": str(PROJECT / "include" / "sites"),
    }
    with (
        AirflowStandalone(state / "airflow", airflow_port, environment) as airflow,
        node,
        demo_site_running(demo_state, DEMO_PORT) as site,
    ):
        say(f"  OpenSearch   {url}")
        say(f"  demo site    {site.url}/")
        airflow.wait_until_ready(START_WAIT_S)
        user, password = airflow.credentials()
        say(f"  Airflow      {airflow.url}  (user {user}, password {password})")
        api = AirflowApi(airflow.url, user, password)
        # The index is empty, so no site's watermark may say that its blocks are in it.
        for key in api.variable_keys(WATERMARK_KEYS):
            api.delete_variable(key)
        settings = Settings.from_environment(opensearch_url=url)
        yield Stack(airflow, api, site, url, build_collaborators(settings=settings))


def demo(*, once: bool) -> None:
    """Run the demo. Raises DemoFailedError where anything it shows is not true."""
    port = int(os.environ.get("SITE_INDEXER_AIRFLOW_PORT") or 8080)
    with running_stack(state_folder(), port) as stack:
        wait_for_dag(stack.api, DAG, START_WAIT_S)
        stack.api.unpause(DAG)
        first_run(stack)
        incremental_run(stack)
        show_addresses(stack)
        if not once:
            say("Schedules are off in the demo: trigger runs by hand.")
            say("Everything stays up until you press Ctrl-C.")
            wait_for_interrupt()
        say("Stopping Airflow, the demo site and OpenSearch ...")


def first_run(stack: Stack) -> None:
    """Run the whole script, from no watermark."""
    say()
    say(f"First run: the script {stack.site.url}/indexlist.txt from its first block")
    before = documents(stack)
    triggered_run(stack)
    after = documents(stack)
    say(f"  documents in {SITE}.live: {len(before)} before, {len(after)} after")
    found = inspection.search(stack.collaborators, SITE, QUERY, target=Target.LIVE, size=3)
    say(f"  search for {QUERY!r}: {found['total']} documents")
    for hit in found["hits"]:
        say(f"    {hit['title']}  <{hit['url']}>")
    require(not before and after, "the first run filled the index")
    require(found["total"], f"a search for {QUERY!r} finds documents")


def incremental_run(stack: Stack) -> None:
    """Change the site, and run again: only the new block is processed."""
    say()
    change = stack.site.change(dt.datetime.now(dt.UTC))
    say(
        f"Second run: the site added {len(change.added)} pages, changed {len(change.updated)}, "
        f"deleted {len(change.deleted)}, and its script says so in the block of line "
        f"{change.block_line}"
    )
    before = documents(stack)
    triggered_run(stack)
    after = documents(stack)
    say(f"  documents in {SITE}.live: {len(before)} before, {len(after)} after")
    for word, urls in (("added", change.added), ("updated", change.updated)):
        for url in urls:
            say(f"    {word}: {url}")
            require(url in after, f"{url} is in the index")
            require(after[url] != before.get(url), f"{url} has its new text in the index")
    for url in change.deleted:
        say(f"    deleted: {url}")
        require(url in before and url not in after, f"{url} is gone from the index")


def triggered_run(stack: Stack) -> FinishedRun:
    """Trigger the Dag, follow the run, and show its tasks and the watermark."""
    run_id = stack.api.trigger(DAG)
    run = follow(stack.api, DAG, run_id, wait_seconds=RUN_WAIT_S, tell=lambda x: say(f"  {x}"))
    watermark = stack.api.variable(VARIABLE)
    say(f"  run {run_id}: {run.state}")
    say(f"  watermark (Variable {VARIABLE}): {watermark}")
    require(run.state == "success", f"the run {run_id} is a success; see {stack.airflow.url}")
    require(watermark is not None, "the watermark is set")
    return run


def documents(stack: Stack) -> dict[str, Any]:
    """Digest of every document behind the live alias, by URL."""
    listed = inspection.documents(stack.collaborators, SITE, target=Target.LIVE, mask=None)
    return {document["url"]: document["content_digest"] for document in listed}


def show_addresses(stack: Stack) -> None:
    """Say where to look."""
    user, password = stack.airflow.credentials()
    say()
    say("Open in a browser:")
    say(f"  {stack.airflow.url}/dags/{DAG}   the runs (user {user}, password {password})")
    say(f"  {stack.airflow.url}/variables   the watermark, Variable {VARIABLE}")
    say(f"  {stack.site.url}/   the site;  {stack.site.url}/indexlist.txt   its script")
    say(f"  {stack.opensearch_url}/{SITE}.live/_search?q={QUERY}   the index")
    say(f"In a shell: .venv/bin/site-indexer search {SITE} {QUERY}")
    say()


def require(fact: object, words: str) -> None:
    """Raise DemoFailedError where something that the demo shows is not so."""
    if not fact:
        raise DemoFailedError(f"Not true in this demo: {words}.")


def wait_for_interrupt() -> None:
    """Return when Ctrl-C is pressed."""
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        say()
