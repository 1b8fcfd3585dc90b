"""Runs one ``_reindex`` on the server to its end, and stops it if nobody waits any more."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from opensearchpy.exceptions import OpenSearchException, TransportError

from site_indexer.errors import StoreRefusedError, StoreUnreachableError
from site_indexer.index_store.client import StoreClient, blocked_error, error_type, store_errors

# OpenSearch answers after 30 s at the latest. (The client takes "timeout" for its own.)
_LONGER_THAN_SERVER_S = 120
# A few documents take moments; with a full disk it tries for half a minute.
_FEW_DOCUMENTS_S = 600
_TASKS_INDEX = ".tasks"


def run_reindex(
    client: StoreClient, body: Mapping[str, Any], index: str, *, many: bool
) -> list[dict[str, Any]]:
    """Run a reindex into ``index`` and return the documents that were rejected.

    The server stops at the first batch that has some. ``many``: as a task in two slices, since no
    connection stays open for as long as that takes. Raises what concerns all documents. It ends
    with this call, so that nobody writes to an index that is given up.
    """
    finished = False
    try:
        with store_errors(f"write to {index}", client):
            response = _as_task(client, body) if many else _at_once(client, body)
        finished = True
    finally:
        if not finished:
            _stop(client, index)
    if "canceled" in response:
        raise StoreUnreachableError(
            f"Somebody cancelled the task in OpenSearch that wrote to {index}.",
            hint="Run again.",
            index=index,
        )
    failures: list[dict[str, Any]] = response["failures"]
    for failure in failures:
        _raise_if_general(failure, index)
    return failures


def written_to(client: StoreClient) -> dict[str, str]:
    """What reindexes write to at this moment: index by task id."""
    with store_errors("list tasks", client):
        answer = client.tasks.list(
            params={"actions": "*reindex", "detailed": "true", "group_by": "none"}
        )
    found = {}
    for task in answer.get("tasks", ()):
        head, arrow, index = str(task.get("description", "")).rpartition(" to [")
        if head and arrow:
            found[f"{task['node']}:{task['id']}"] = index.removesuffix("]")
    return found


def _at_once(client: StoreClient, body: Mapping[str, Any]) -> dict[str, Any]:
    params = {"wait_for_completion": "true", "request_timeout": _FEW_DOCUMENTS_S}
    try:
        answer: dict[str, Any] = client.reindex(body=body, params=params)
    except TransportError as error:
        # The status is that of the worst failure; the body is the same as without one.
        if isinstance(error.info, dict) and "failures" in error.info:
            return error.info
        raise
    return answer


def _as_task(client: StoreClient, body: Mapping[str, Any]) -> dict[str, Any]:
    params = {"wait_for_completion": "false", "slices": "2"}
    task = client.reindex(body=body, params=params)["task"]
    answer = _wait_for(client, task)
    with suppress(OpenSearchException):
        # The server keeps the result of each task, with all its parameters, for ever.
        client.delete(index=_TASKS_INDEX, id=task)
    if "error" in answer:
        reason = answer["error"].get("reason", "")
        raise StoreRefusedError(f"OpenSearch could not carry out a reindex: {reason}.")
    response: dict[str, Any] = answer["response"]
    return response


def _wait_for(client: StoreClient, task: str) -> dict[str, Any]:
    params = {"wait_for_completion": "true", "request_timeout": _LONGER_THAN_SERVER_S}
    while True:
        try:
            answer: dict[str, Any] = client.tasks.get(task_id=task, params=params)
        except TransportError as error:
            if error_type(error) != "timeout_exception":
                raise
            continue
        if answer["completed"]:
            return answer


def _stop(client: StoreClient, index: str) -> None:
    """Stop whatever writes to ``index``, and wait until it does no more.

    Best effort, as another error is on its way.
    """
    with suppress(OpenSearchException, StoreRefusedError, StoreUnreachableError):
        for task, target in written_to(client).items():
            if target == index:
                client.tasks.cancel(task_id=task, params={"wait_for_completion": "true"})


def _raise_if_general(failure: Mapping[str, Any], index: str) -> None:
    """Raise unless the failure concerns one document only."""
    cause = failure.get("cause") or failure.get("reason") or {}
    reason = str(cause.get("reason", ""))
    if cause.get("type") == "cluster_block_exception":
        raise blocked_error(index, reason, f"write to {index}")
    if "id" not in failure or failure.get("status") in (429, 503):
        raise StoreUnreachableError(
            f"OpenSearch could not write all documents to {index}: {reason}.",
            hint="It is overloaded or not all of it is up. Run again later.",
            index=index,
        )
