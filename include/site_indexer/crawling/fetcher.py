"""Fetching many URLs at once, in one thread (docs/spec/04-crawling.md, 4.1 Fetching).

Submitted requests wait for their host's turn (politeness), go out on kept connections, are
repeated where that can help, and come back from :meth:`Fetcher.poll` as they finish. Nothing here
sleeps: what has to wait lies in queues with a time, and ``poll`` waits for sockets until the
nearest of these times.
"""

from __future__ import annotations

import datetime as dt
import heapq
import itertools
import random
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from types import TracebackType

import pycurl

from site_indexer.crawling.curl_loop import Bell, CurlLoop, Ending
from site_indexer.crawling.exchange import Exchange, ExchangeOptions
from site_indexer.crawling.http_status import (
    failure_of_status,
    is_transient_status,
    retry_after_s,
)
from site_indexer.crawling.model import CrawlSettings
from site_indexer.crawling.network_guard import NetworkGuard, ResolvedTargets, name_of
from site_indexer.crawling.politeness import Patience, Politeness, Trouble
from site_indexer.crawling.proxied_targets import Problem, ProxiedTargets
from site_indexer.crawling.reception import Answer, content_coding
from site_indexer.crawling.responses import Failure, Request, Response
from site_indexer.urls import SiteHosts, host_of

_MOST_IDLE_CONNECTIONS = 32
_RESOLVED_SOON_S = 0.02
_NOT_ASCII = "the URL is not in the form that HTTP can send"
_CUT = "{} is longer than its Content-Length says; what is beyond that is left out."


@dataclass(slots=True)
class _Job:
    request: Request
    tag: object
    host: str
    attempts: int = 0
    started: float = 0.0
    decoded: bool = False  # by libcurl
    last: Response | None = None  # what the attempt before brought


def _utc_now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


class Fetcher:
    """An HTTP client for one crawl; not thread-safe, and it only works while it is polled.

    Redirects are not followed, cookies are neither kept nor sent, proxies of the environment are
    not used. ``settings.headers`` go to the site's own hosts only.
    """

    def __init__(
        self,
        settings: CrawlSettings,
        *,
        resolve: Iterable[str] = (),
        local_hosts: Iterable[str] = (),
        patience: Patience | None = None,
        first_retry_s: float = 0.5,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], dt.datetime] = _utc_now,
    ) -> None:
        """``resolve``: ``host:port:address`` as curl takes it; such a host counts as public.

        ``local_hosts``: hosts, without port, to which any address is allowed. ``first_retry_s``
        lies, give or take a half, before the first repetition, twice that before the next.
        ``clock`` gives monotonic seconds, ``now`` the time that responses are stamped with. Raises
        ConfigurationError for ``settings.allow_networks`` that are none.
        """
        self._first_retry_s = first_retry_s
        self._settings = settings
        self._clock = clock
        self._now = now
        self._site_hosts = SiteHosts(settings.hosts)
        pins = tuple(resolve)
        self._guard = NetworkGuard(
            settings.allow_networks,
            local_hosts=local_hosts,
            pinned=dict(_pin(text) for text in pins),
        )
        self._options = ExchangeOptions(
            user_agent=settings.user_agent,
            timeout_s=settings.timeout_s,
            max_bytes=settings.max_bytes,
            proxy=settings.proxy,
            resolve=pins,
        )
        self._proxied = (
            ProxiedTargets(ResolvedTargets(self._guard, clock)) if settings.proxy else None
        )
        self._resolving: list[tuple[_Job, Future[Problem]]] = []
        self._politeness: Politeness[_Job] = Politeness(
            delay_s=settings.delay_s,
            concurrency=settings.concurrency,
            patience=patience or settings.patience,
        )
        self._loop = CurlLoop(
            clock, keep_connections=max(_MOST_IDLE_CONNECTIONS, 2 * settings.concurrency)
        )
        self._random = random.Random()  # noqa: S311 - spreads retries, guards nothing
        self._watched: set[str] = set()
        self._idle: list[Exchange] = []
        self._running: dict[pycurl.Curl, tuple[Exchange, _Job]] = {}
        self._retries: list[tuple[float, int, _Job]] = []
        self._order = itertools.count()
        self._done: list[tuple[object, Response]] = []
        self.pending = 0

    def submit(self, request: Request, tag: object) -> None:
        """Queue a request; ``tag`` comes back with its response."""
        self.pending += 1
        job = _Job(request, tag, host_of(request.url))
        self._politeness.add(job.host, job)

    def set_host_delay(self, host: str, seconds: float) -> None:
        """Raise the delay between requests to a host (``host`` or ``host:port``)."""
        self._politeness.set_delay(host, seconds)

    def wake_on(self, bell: Bell | None) -> None:
        """Have :meth:`poll` return when a bell rings."""
        self._loop.wake_on(bell)

    def poll(self, timeout_s: float) -> list[tuple[object, Response]]:
        """The exchanges that finished, in that order; waits up to ``timeout_s`` for the first.

        Returns at once if nothing is pending. An empty list is no end: ask :attr:`pending`.
        """
        deadline = self._clock() + timeout_s
        wait_s = 0.0
        while self.pending:
            self._start_what_may(self._clock())
            self._loop.drive(wait_s)
            for handle, ending in self._loop.finished():
                self._finish(handle, ending)
            now = self._clock()
            if self._done or now >= deadline or self._loop.rung:
                break
            wait_s = max(0.0, min([deadline, *self._wake_times()]) - now)
        self._loop.rung = False
        # The server works on the next ones while the caller works on these.
        self._start_what_may(self._clock())
        self._loop.drive(0.0)
        done, self._done = self._done, []
        self.pending -= len(done)
        return done

    def close(self) -> None:
        """Give up what is under way and close all connections."""
        for handle, (exchange, _) in self._running.items():
            self._loop.remove(handle)
            self._idle.append(exchange)
        self._running.clear()
        self._resolving.clear()
        if self._proxied is not None:
            self._proxied.close()
        self._loop.close()
        for exchange in self._idle:
            exchange.handle.close()
        self._idle.clear()
        self.pending = 0

    def __enter__(self) -> Fetcher:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _wake_times(self) -> Iterable[float]:
        wake_at = self._politeness.wake_at()
        if wake_at is not None:
            yield wake_at
        if self._retries:
            yield self._retries[0][0]
        if self._resolving:
            yield self._clock() + _RESOLVED_SOON_S

    def _start_what_may(self, now: float) -> None:
        self._send_resolved(now)
        while self._retries and self._retries[0][0] <= now:
            job = heapq.heappop(self._retries)[2]
            self._politeness.add(job.host, job, first=True)
        for job, trouble in self._politeness.take_refused(now):
            message = f"not asked again for now, its host is in trouble: {trouble.message}"
            self._give_up(job, trouble.failure, message)
        while (job_or_none := self._politeness.take(now)) is not None:
            self._start(job_or_none, now)

    def _start(self, job: _Job, now: float) -> None:
        job.attempts += 1
        job.started = now
        if not job.request.url.isascii():
            self._refuse(job, now, Failure.PROTOCOL, _NOT_ASCII)
        elif self._proxied is None:
            self._send(job)
        else:
            self._resolving.append((job, self._proxied.ask(job.request.url)))
            self._send_resolved(now)

    def _send_resolved(self, now: float) -> None:
        """Send what waits for its name, as far as that is known, or will not be in time."""
        waiting, self._resolving = self._resolving, []
        for job, future in waiting:
            if future.done():
                problem = future.result()
                if problem is None:
                    self._send(job)
                else:
                    self._refuse(job, now, *problem)
            elif now - job.started >= self._settings.timeout_s:
                self._refuse(job, now, Failure.DNS, f"{name_of(job.host)} was not resolved in time")
            else:
                self._resolving.append((job, future))

    def _refuse(self, job: _Job, now: float, failure: Failure, message: str) -> None:
        """End a job that was started, without a request."""
        self._politeness.finished(job.host, started=job.started, now=now)
        self._give_up(job, failure, message)

    def _send(self, job: _Job) -> None:
        exchange = self._idle.pop() if self._idle else Exchange(self._options, self._guard)
        headers = self._settings.headers if self._takes_headers(job.request.url) else ()
        exchange.begin(
            job.request,
            name_of(job.host),
            headers,
            decoded=job.decoded,
            watched=job.host in self._watched,
        )
        self._running[exchange.handle] = (exchange, job)
        self._loop.add(exchange.handle)

    def _takes_headers(self, url: str) -> bool:
        """Whether the site's own headers may be sent with a request for a URL."""
        if self._settings.headers_need_tls and not url.startswith("https:"):
            return False
        return self._site_hosts.contains(url)

    def _finish(self, handle: pycurl.Curl, ending: Ending) -> None:
        exchange, job = self._running.pop(handle)
        answer = exchange.end(ending)
        self._idle.append(exchange)
        now = self._clock()
        response = self._response(job, answer)
        trouble = self._trouble(answer, response)
        self._politeness.finished(
            job.host,
            started=job.started,
            now=now,
            trouble=trouble,
            jitter=self._random.random(),
            item=job.request.url,
        )
        if self._has_unread_coding(job, answer) or self._may_be_cut(job, answer):
            job.attempts -= 1
            self._politeness.add(job.host, job, first=True)
        elif self._is_worth_a_retry(job, answer, trouble):
            job.last = response
            wait_s = self._first_retry_s * 2 ** (job.attempts - 1) * (0.5 + self._random.random())
            heapq.heappush(self._retries, (now + wait_s, next(self._order), job))
        else:
            self._done.append((job.tag, response))

    def _is_worth_a_retry(self, job: _Job, answer: Answer, trouble: Trouble | None) -> bool:
        if job.attempts > self._settings.retries:
            return False
        if trouble is not None and not self._politeness.can_wait_for(trouble):
            return False
        if answer.failure is not None:
            return answer.transient
        return answer.status is not None and is_transient_status(answer.status)

    def _has_unread_coding(self, job: _Job, answer: Answer) -> bool:
        """Whether the body came in a coding that libcurl can undo (some servers know one only)."""
        if answer.failure is not Failure.BAD_ENCODING or job.decoded:
            return False
        job.decoded = content_coding(answer.headers).strip().lower() == "br"
        return job.decoded

    def _may_be_cut(self, job: _Job, answer: Answer) -> bool:
        """Whether to look again if a body is longer than its Content-Length: once for a host.

        From then on its bodies are watched. Else that is done for none, as it costs time.
        """
        if not answer.may_be_cut or job.host in self._watched:
            return False
        self._watched.add(job.host)
        return True

    def _trouble(self, answer: Answer, response: Response) -> Trouble | None:
        """What this exchange says of its host as a whole, if it is bad."""
        message = response.error or ""
        if answer.status in (429, 503):
            asked = retry_after_s(response.header("retry-after"), response.received_at)
            return Trouble(response.failure or Failure.SERVER_ERROR, message, asked)
        if answer.failure is not None and not answer.answered and answer.transient:
            return Trouble(Failure.CONNECTION, message)
        return None

    def _response(self, job: _Job, answer: Answer) -> Response:
        request = job.request
        problem = (answer.failure, answer.message) if answer.failure is not None else None
        if problem is None and answer.status is not None:
            problem = failure_of_status(
                answer.status,
                conditional=bool(request.etag or request.last_modified),
                located=answer.location is not None,
            )
        return Response(
            request=request,
            status=answer.status,
            headers=answer.headers,
            body=answer.body,
            received_at=self._now(),
            elapsed_ms=round(answer.elapsed_s * 1000),
            failure=problem and problem[0],
            error=f"{request.url}: {problem[1]}" if problem else None,
            location=answer.location,
            attempts=job.attempts,
            warnings=(_CUT.format(request.url),) if answer.was_cut else (),
        )

    def _give_up(self, job: _Job, failure: Failure, message: str) -> None:
        """End a job without a request: with what its last attempt brought, if it had one."""
        response = job.last or Response(
            request=job.request,
            status=None,
            headers=(),
            body=b"",
            received_at=self._now(),
            elapsed_ms=0,
            failure=failure,
            error=f"{job.request.url}: {message}",
            attempts=job.attempts,
        )
        self._done.append((job.tag, response))


def _pin(text: str) -> tuple[str, str]:
    """``host:port`` and the address of a ``host:port:address``."""
    host, _, rest = text.partition(":")
    port, _, address = rest.partition(":")
    return f"{host}:{port}", address.strip("[]")
