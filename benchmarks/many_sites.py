"""What many sites in one deployment cost: parsing the Dag file, the scheduler's load, shards.

    PYTHONPATH=include python benchmarks/many_sites.py 200

Writes that many site files, parses ``dags/site_scripts.py`` as Airflow does, and the same for one
task (which reads its own site only). Sets all sites up in a real OpenSearch and counts shards. With
``--scheduler SECONDS`` starts an Airflow with all of them, unpaused, and measures the CPU time of
its parts while nothing is due.
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import statistics
import tempfile
import time
from pathlib import Path

import psutil
import yaml

from local_opensearch import Node
from local_stack.airflow_api import AirflowApi
from local_stack.airflow_process import AirflowStandalone, free_port
from local_stack.following import wait_for_dag

PROJECT = Path(__file__).parents[1]
ROUNDS = 3


def far_away() -> str:
    """A time of day twelve hours from now, in which no measurement falls."""
    then = dt.datetime.now(dt.UTC) + dt.timedelta(hours=12)
    return f"{then:%H:%M}"


def write_sites(folder: Path, count: int) -> None:
    for number in range(count):
        definition = {
            "id": f"site-{number:04}",
            "name": f"Site {number}",
            "owner": "benchmarks",
            "timezone": "UTC",
            "script": {"url": f"https://site-{number}.example.com/indexlist.txt"},
            "schedule": {"every": "24h", "base_time": far_away()},
            "entry_points": [f"https://site-{number}.example.com/"],
            "masks": ["exclude *.zip", f"include https://site-{number}.example.com/"],
            "index": {"replicas": 0},
        }
        (folder / f"site-{number:04}.yaml").write_text(yaml.safe_dump(definition))


def parsing(count: int) -> None:
    """Parse in this process, after the imports, as a worker that was forked does; CPU time."""
    from airflow.serialization.serialized_objects import DagSerialization  # noqa: PLC0415

    from site_indexer.orchestration.site_dags import script_dags, sites_directory  # noqa: PLC0415

    seconds, only = [], []
    dags = list(script_dags(sites_directory()))
    for _ in range(ROUNDS):
        started = time.process_time()
        dags = list(script_dags(sites_directory()))
        seconds.append(time.process_time() - started)
        started = time.process_time()
        list(script_dags(sites_directory(), only=dags[-1].dag_id))
        only.append(time.process_time() - started)
    started = time.process_time()
    size = sum(len(str(DagSerialization.to_dict(dag))) for dag in dags)
    serialized = time.process_time() - started
    print(
        f"{count} sites, CPU: parse {statistics.median(seconds):.2f} s, "
        f"for one task {statistics.median(only) * 1000:.0f} ms, "
        f"serialize {serialized:.2f} s, {size / count / 1024:.0f} KB a Dag"
    )


def shards(count: int) -> None:
    from site_indexer.index_store.client import connect  # noqa: PLC0415
    from site_indexer.index_store.setup import ensure_shared, ensure_site  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as home, Node(Path(home), http_port=0) as node:
        client = connect(node.url)
        ensure_shared(client)
        started = time.perf_counter()
        for number in range(count):
            ensure_site(client, f"site-{number:04}", dt.datetime.now(dt.UTC), replicas=0)
        seconds = time.perf_counter() - started
        found = client.cluster.health()
        heap = client.nodes.stats(metric="jvm")["nodes"]
        used = [each["jvm"]["mem"]["heap_used_in_bytes"] / 2**20 for each in heap.values()]
        print(
            f"{count} sites set up in {seconds:.0f} s: {found['active_shards']} shards, "
            f"{used[0]:.0f} MB of heap in use"
        )


def scheduler(sites: Path, seconds: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            "SITE_INDEXER_SITES": str(sites),
            "AIRFLOW__SCHEDULER__SCHEDULER_IDLE_SLEEP_TIME": "0.25",
            "AIRFLOW__DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": "60",
            "AIRFLOW__SCHEDULER__USE_JOB_SCHEDULE": "True",
            "AIRFLOW__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
        }
        with AirflowStandalone(Path(folder) / "airflow", free_port(), environment) as airflow:
            airflow.wait_until_ready(300)
            api = AirflowApi(airflow.url, *airflow.credentials())
            started = time.perf_counter()
            last = sorted(path.stem for path in sites.iterdir())[-1]
            wait_for_dag(api, f"{last}_script", 600)
            print(f"all Dags are there {time.perf_counter() - started:.0f} s after the start")
            time.sleep(30)
            before = cpu_seconds()
            time.sleep(seconds)
            for part, used in cpu_seconds().items():
                print(
                    f"{part}: {(used - before.get(part, 0.0)) / seconds:.1%} of a core while idle"
                )


def cpu_seconds() -> dict[str, float]:
    """CPU time so far of Airflow's parts that this process has started, with their children."""
    used: dict[str, float] = {}
    for process in psutil.Process(os.getpid()).children(recursive=True):
        try:
            words = process.cmdline()
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        for part in ("scheduler", "dag-processor", "api-server", "triggerer"):
            if part in words:
                total = times.user + times.system + times.children_user + times.children_system
                used[part] = used.get(part, 0.0) + total
    return used


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sites", type=int)
    parser.add_argument("--scheduler", type=float, default=0.0, metavar="SECONDS")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sites = Path(folder) / "sites"
        sites.mkdir()
        write_sites(sites, arguments.sites)
        os.environ["SITE_INDEXER_SITES"] = str(sites)
        os.environ.setdefault("AIRFLOW_HOME", str(Path(folder) / "home"))
        parsing(arguments.sites)
        shards(arguments.sites)
        if arguments.scheduler:
            scheduler(sites, arguments.scheduler)


if __name__ == "__main__":
    main()
