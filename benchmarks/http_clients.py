"""Pages a second and CPU a page of the HTTP clients that docs/adr/0006-http-client.md weighs.

    PYTHONPATH=include python benchmarks/http_clients.py --requests 2000 --rounds 5

One server in a process of its own answers all clients alike: 304 to a validator, else a page of
14 KB. The clients take turns within each round, so that what else the machine does hits all of
them. Only ratios within one run mean anything.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection

import requests
import urllib3

from site_indexer.crawling.fetcher import Fetcher
from site_indexer.crawling.model import CrawlSettings
from site_indexer.crawling.responses import Request

CONNECTIONS = 8
ETAG = '"benchmark"'
PAGE = (b"<!doctype html><title>Page</title><p>" + os.urandom(7_000).hex().encode())[:14_000]
WHOLE = (
    b"HTTP/1.1 200 OK\r\nETag: %s\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s"
    % (
        ETAG.encode(),
        len(PAGE),
        PAGE,
    )
)
UNCHANGED = b"HTTP/1.1 304 Not Modified\r\nETag: %s\r\n\r\n" % ETAG.encode()

Client = Callable[[list[str], str | None], int]


class Answer(asyncio.Protocol):
    """Answers each request at once; requests here never span two reads."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        answer = UNCHANGED if b"if-none-match" in data.lower() else WHOLE
        self.transport.write(answer)  # type: ignore[attr-defined]


def serve(port: Connection) -> None:
    """Serve until killed; tells the port it listens on."""

    async def run() -> None:
        server = await asyncio.get_running_loop().create_server(Answer, "127.0.0.1", 0)
        port.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def with_requests(urls: list[str], etag: str | None) -> int:
    headers = {"If-None-Match": etag} if etag else {}
    with requests.Session() as session, ThreadPoolExecutor(CONNECTIONS) as threads:
        session.trust_env = False
        adapter = requests.adapters.HTTPAdapter(pool_maxsize=CONNECTIONS)
        session.mount("http://", adapter)
        return sum(threads.map(lambda url: len(session.get(url, headers=headers).content), urls))


def with_urllib3(urls: list[str], etag: str | None) -> int:
    headers = {"If-None-Match": etag} if etag else {}
    with (
        urllib3.PoolManager(maxsize=CONNECTIONS) as pool,
        ThreadPoolExecutor(CONNECTIONS) as threads,
    ):
        return sum(
            threads.map(
                lambda url: len(pool.request("GET", url, headers=headers, redirect=False).data),
                urls,
            )
        )


def with_fetcher(urls: list[str], etag: str | None) -> int:
    settings = CrawlSettings(
        site="benchmark",
        user_agent="SiteIndexer/benchmark",
        hosts=(),
        delay_s=0.0,
        concurrency=CONNECTIONS,
        allow_networks=("127.0.0.0/8",),
    )
    size = 0
    with Fetcher(settings) as fetcher:
        for url in urls:
            fetcher.submit(Request(url, etag=etag), None)
        while fetcher.pending:
            size += sum(len(response.body) for _, response in fetcher.poll(10.0))
    return size


CLIENTS: dict[str, Client] = {
    "requests, 8 threads": with_requests,
    "urllib3, 8 threads": with_urllib3,
    "libcurl multi (Fetcher)": with_fetcher,
}


def measure(client: Client, urls: list[str], etag: str | None) -> tuple[float, float]:
    """Pages a second, and CPU milliseconds a page of this process."""
    wall, cpu = time.perf_counter(), time.process_time()
    size = client(urls, etag)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    assert size == (0 if etag else len(PAGE) * len(urls)), "a client lost something"
    return len(urls) / wall, cpu / len(urls) * 1000


def report(rounds: int, urls: list[str]) -> None:
    for name, etag in (("pages of 14 KB", None), ("unchanged (304)", ETAG)):
        found: dict[str, list[tuple[float, float]]] = {client: [] for client in CLIENTS}
        for _ in range(rounds):
            for client, function in CLIENTS.items():
                found[client].append(measure(function, urls, etag))
        print(f"\n{name}: pages/s min / median / max, CPU ms a page (median)")
        for client, figures in found.items():
            rates = [rate for rate, _ in figures]
            cpu = statistics.median(one for _, one in figures)
            spread = " / ".join(
                f"{value:,.0f}" for value in (min(rates), statistics.median(rates), max(rates))
            )
            print(f"  {client:26} {spread:>24}   {cpu:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=2000, help="a client and round")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    port = ours.recv()
    report(
        arguments.rounds,
        [f"http://127.0.0.1:{port}/page/{n}" for n in range(arguments.requests)],
    )
    server.terminate()


if __name__ == "__main__":
    main()
