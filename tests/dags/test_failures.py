"""What becomes of an error in a task: a clear sentence, and retries only where they can help."""

from __future__ import annotations

import logging
import traceback

import pytest
from airflow.sdk.exceptions import AirflowException, AirflowFailException

from site_indexer.errors import ConfigurationError, SiteIndexerError, StoreUnreachableError
from site_indexer.orchestration.failures import errors_for_airflow


def deep(error: SiteIndexerError, depth: int = 30) -> None:
    """Raise it from deep within the code, with another error behind it."""
    if depth:
        deep(error, depth - 1)
    try:
        raise OSError("connection refused")
    except OSError as reason:
        raise error from reason


def shown(error: SiteIndexerError, caplog: pytest.LogCaptureFixture) -> tuple[BaseException, str]:
    with (
        caplog.at_level(logging.INFO),
        pytest.raises(AirflowException) as caught,
        errors_for_airflow(),
    ):
        deep(error)
    return caught.value, "".join(traceback.format_exception(caught.value))


def test_what_only_a_person_can_cure_is_not_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    error = ConfigurationError("The address of h is not allowed.", hint="Add it.", site="h")
    raised, wall = shown(error, caplog)
    assert isinstance(raised, AirflowFailException)
    assert str(raised) == "The address of h is not allowed. Add it."
    assert [record.getMessage() for record in caplog.records] == [str(raised)]
    assert "in deep" not in wall
    assert "connection refused" not in wall


def test_what_may_pass_is_left_to_the_retries(caplog: pytest.LogCaptureFixture) -> None:
    error = StoreUnreachableError("OpenSearch does not answer.")
    raised, wall = shown(error, caplog)
    assert not isinstance(raised, AirflowFailException)
    assert str(raised) == str(error)
    assert [record.getMessage() for record in caplog.records] == [str(error)]
    assert "in deep" not in wall
    assert "connection refused" not in wall
