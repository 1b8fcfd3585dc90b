"""Many transfers of libcurl in one thread, driven by epoll (docs/adr/0006-http-client.md).

libcurl's own waiting goes through ``select``, which fails for file numbers over 1,023: an Airflow
worker may well have as many open.
"""

from __future__ import annotations

import select
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

import pycurl

_EVENTS = {
    pycurl.POLL_IN: select.EPOLLIN,
    pycurl.POLL_OUT: select.EPOLLOUT,
    pycurl.POLL_INOUT: select.EPOLLIN | select.EPOLLOUT,
}
_FAULTS = select.EPOLLHUP | select.EPOLLERR


class Bell(NamedTuple):
    """A descriptor that becomes readable, or writable too, when something else has to be done.

    ``generation`` tells apart those that have the same number one after the other.
    """

    descriptor: int
    for_writing: bool
    generation: int


class Ending(NamedTuple):
    """How a transfer ended: libcurl's error number (0: none) and its text.

    ``connection_kept``: whether the connection can serve another request.
    """

    number: int
    message: str
    connection_kept: bool


class Finished(NamedTuple):
    """A handle whose transfer is over."""

    handle: pycurl.Curl
    ending: Ending


class CurlLoop:
    """Owns a multi handle: add easy handles, drive, take those that are done."""

    def __init__(self, clock: Callable[[], float], *, keep_connections: int) -> None:
        """``clock``: monotonic seconds; ``keep_connections``: how many idle ones stay open."""
        self._clock = clock
        self._epoll = select.epoll()
        self._watched: set[int] = set()
        self._timer_at: float | None = None
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._on_socket)
        self._multi.setopt(pycurl.M_TIMERFUNCTION, self._on_timer)
        self._multi.setopt(pycurl.M_MAXCONNECTS, keep_connections)
        self._bell: Bell | None = None
        self.rung = False
        """Whether the bell of :meth:`wake_on` ended a wait; for the caller to set back."""

    def add(self, handle: pycurl.Curl) -> None:
        """Start the transfer of a handle that is set up; it moves on in :meth:`drive`."""
        self._multi.add_handle(handle)

    def remove(self, handle: pycurl.Curl) -> None:
        """Give up the transfer of a handle."""
        self._multi.remove_handle(handle)

    def wake_on(self, bell: Bell | None) -> None:
        """Have waits end when a bell rings."""
        before, self._bell = self._bell, bell
        if bell == before:
            return
        if before is not None and (bell is None or bell.descriptor != before.descriptor):
            # One that is closed is watched no more by itself.
            with suppress(OSError):
                self._epoll.unregister(before.descriptor)
        if bell is None:
            return
        events = select.EPOLLIN | (select.EPOLLOUT if bell.for_writing else 0)
        try:
            self._epoll.register(bell.descriptor, events)
        except FileExistsError:
            self._epoll.modify(bell.descriptor, events)

    def drive(self, timeout_s: float) -> None:
        """Wait for sockets or timers, no longer than ``timeout_s``, and move transfers on."""
        if self._timer_at is not None:
            timeout_s = min(timeout_s, self._timer_at - self._clock())
        for number, events in self._epoll.poll(max(0.0, timeout_s)):
            if self._bell is not None and number == self._bell.descriptor:
                self.rung = True
                continue
            mask = 0
            if events & select.EPOLLIN:
                mask |= pycurl.CSELECT_IN
            if events & select.EPOLLOUT:
                mask |= pycurl.CSELECT_OUT
            if events & _FAULTS:
                mask |= pycurl.CSELECT_ERR
            self._multi.socket_action(number, mask)
        if self._timer_at is not None and self._timer_at <= self._clock():
            self._timer_at = None
            self._multi.socket_action(pycurl.SOCKET_TIMEOUT, 0)

    def finished(self) -> Iterator[Finished]:
        """The handles that are done, each removed."""
        left = 1
        while left:
            left, good, bad = self._multi.info_read()
            for handle in good:
                # Only as long as the handle belongs to this one does libcurl know.
                is_kept = handle.getinfo(pycurl.ACTIVESOCKET) != -1
                self._multi.remove_handle(handle)
                yield Finished(handle, Ending(0, "", is_kept))
            for handle, number, message in bad:
                self._multi.remove_handle(handle)
                yield Finished(handle, Ending(number, message, connection_kept=False))

    def close(self) -> None:
        """Close all connections; the handles must have been removed."""
        self._multi.close()
        self._epoll.close()

    def _on_socket(self, what: int, number: int, _multi: object, _assigned: object) -> None:
        events = _EVENTS.get(what, 0)
        if what == pycurl.POLL_REMOVE:
            if number in self._watched:
                self._watched.discard(number)
                self._epoll.unregister(number)
        elif number in self._watched:
            self._epoll.modify(number, events)
        else:
            self._watched.add(number)
            self._epoll.register(number, events)

    def _on_timer(self, milliseconds: int) -> None:
        self._timer_at = None if milliseconds < 0 else self._clock() + milliseconds / 1000
