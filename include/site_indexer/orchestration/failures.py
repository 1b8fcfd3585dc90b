"""What becomes of an error in a task.

An error that only a person can cure fails the task at once, with its whole text; retrying would
only hide it for a while. A transient one is left to the task's retries. A crawl turn that is taken
is no error at all: the task comes back later, without using up a retry.
"""

from __future__ import annotations

import datetime as dt
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager

from airflow.sdk.exceptions import (
    AirflowException,
    AirflowFailException,
    AirflowRescheduleException,
)

from site_indexer.errors import CrawlTurnTakenError, SiteIndexerError

CRAWL_TURN_VARIABLE = "SITE_INDEXER_CRAWL_TURN_S"
DEFAULT_CRAWL_TURN_S = 60.0

logger = logging.getLogger(__name__)


@contextmanager
def errors_for_airflow() -> Iterator[None]:
    """Turn errors of the use cases into what Airflow acts on.

    Raises AirflowFailException (no retry), AirflowException (for transient ones) and
    AirflowRescheduleException; lets through what is no SiteIndexerError.
    """
    try:
        yield
    except CrawlTurnTakenError as error:
        wait = crawl_turn_wait()
        logger.info("%s Trying again in %.0f seconds.", error, wait.total_seconds())
        raise come_back(dt.datetime.now(dt.UTC) + wait) from None
    except SiteIndexerError as error:
        # Airflow's own line is only "Task failed with exception", with the text in its details. The
        # way through the code that it shows there is of no use to who has to cure this.
        logger.error("%s", error)
        logger.debug("Where it came from:", exc_info=True)
        if error.transient:
            raise AirflowException(str(error)) from None
        raise AirflowFailException(str(error)) from None


def come_back(at: dt.datetime) -> AirflowRescheduleException:
    """What a task raises to be run again then, in the same try, without holding a worker."""
    return AirflowRescheduleException(at)  # type: ignore[no-untyped-call]


def crawl_turn_wait() -> dt.timedelta:
    """How long a task waits before it asks for the crawl turn again."""
    return dt.timedelta(seconds=float(os.environ.get(CRAWL_TURN_VARIABLE, DEFAULT_CRAWL_TURN_S)))
