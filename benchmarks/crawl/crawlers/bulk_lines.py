"""Sends documents as raw lines of JSON, from a thread of its own."""

from __future__ import annotations

import queue
import threading
from typing import Any

import orjson
import requests
from assignment import Assignment, document_id

BATCH = 500


class BulkLines:
    """Takes documents; ``close`` sends the rest and makes them searchable."""

    def __init__(self, assignment: Assignment) -> None:
        self._url = f"{assignment.opensearch}/{assignment.index}"
        self._lines: list[bytes] = []
        self._batches: queue.Queue[bytes | None] = queue.Queue(4)
        self._session = requests.Session()
        self._failed: list[str] = []
        self._thread = threading.Thread(target=self._send_all)
        self._thread.start()

    def put(self, document: dict[str, Any]) -> None:
        head = orjson.dumps({"index": {"_id": document_id(document["url"])}})
        self._lines += (head, orjson.dumps(document))
        if len(self._lines) >= 2 * BATCH:
            self._hand_over()

    def close(self) -> None:
        self._hand_over()
        self._batches.put(None)
        self._thread.join()
        if self._failed:
            raise SystemExit(self._failed[0])
        self._session.post(f"{self._url}/_refresh").raise_for_status()

    def _hand_over(self) -> None:
        if self._lines:
            self._batches.put(b"\n".join(self._lines) + b"\n")
            self._lines = []

    def _send_all(self) -> None:
        headers = {"Content-Type": "application/x-ndjson"}
        while (body := self._batches.get()) is not None:
            answer = self._session.post(f"{self._url}/_bulk", data=body, headers=headers)
            if answer.status_code != 200 or orjson.loads(answer.content)["errors"]:
                self._failed.append(answer.text[:500])
