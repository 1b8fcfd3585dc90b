"""The task that asks a person, by Airflow's own human-in-the-loop: it waits without a worker.

Airflow's task state is no proof of an answer: anyone may mark a task green. The answer is recorded
in OpenSearch by the code that runs when somebody has really answered, and publishing asks for that
record (docs/spec/05-index-lifecycle.md, 5.9).
"""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from airflow.providers.standard.exceptions import HITLRejectException, HITLTimeoutError
from airflow.providers.standard.operators.hitl import ApprovalOperator
from airflow.sdk import Context
from airflow.sdk.configuration import conf
from airflow.sdk.exceptions import AirflowFailException

from site_indexer.orchestration.failures import errors_for_airflow
from site_indexer.orchestration.parent_death import end_with_supervisor
from site_indexer.orchestration.task_log import quiet_libraries

NOBODY = "nobody"
UNTIL_ASKED = dt.timedelta(hours=24)

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Asking:
    """What an :class:`Approve` task calls.

    ``question`` gives what to ask, with its ``subject`` and ``body``, or None where there is
    nothing to be asked; ``ask`` opens it (``again``: a person cleared the task) and gives until
    when (aware) it waits; ``answer`` records whether it was approved, and by whom.
    """

    question: Callable[[Context], Mapping[str, Any] | None]
    ask: Callable[[Context, Mapping[str, Any], bool], dt.datetime]
    answer: Callable[[Context, bool, str], None]


class Approve(ApprovalOperator):
    """Waits for a person's answer where a question is to be asked; else passes at once."""

    ui_color = "#fbe3d8"

    def __init__(
        self,
        *,
        asking: Asking,
        asker: str,
        **kwargs: Any,  # noqa: ANN401 - passed on as they are
    ) -> None:
        super().__init__(
            subject="Removals that need an answer",
            fail_on_reject=True,
            # Airflow would take execution_timeout in its place; asking sets the real one.
            response_timeout=UNTIL_ASKED,
            **kwargs,
        )
        self.asking = asking
        self.asker = asker

    def execute(self, context: Context) -> Any:  # noqa: ANN401 - as in the base class
        """Ask, or pass. Raises what Airflow acts on: see ``errors_for_airflow``."""
        end_with_supervisor()
        quiet_libraries()
        question = self.asking.question(context)
        if question is None:
            logger.info("The brake does not trip: nobody has to be asked.")
            return {"asked": False}
        with errors_for_airflow():
            until = self.asking.ask(context, question, self._was_cleared(context))
        # It ends when the question does: the site file says how long that is.
        self.response_timeout = max(until - dt.datetime.now(dt.UTC), dt.timedelta(seconds=1))
        self.subject = question["subject"]
        self.body = f"{question['body']}\n\n{_link_to_log(context, self.asker)}"
        return super().execute(context)

    def execute_complete(self, context: Context, event: dict[str, Any]) -> Any:  # noqa: ANN401 - as in the base class
        """Record the answer; a rejection, or none in time, fails the task for good."""
        end_with_supervisor()
        quiet_libraries()
        try:
            answered = super().execute_complete(context, event)
        except HITLTimeoutError:
            raise AirflowFailException(
                "Nobody answered in time; nothing was changed. "
                f"Clear {self.asker} with its downstream tasks to be asked anew."
            ) from None
        except HITLRejectException:
            by = _answered_by(event)
            self._record(context, approved=False, by=by)
            raise AirflowFailException(
                f"{by} rejected the removals; nothing was changed. Correct what would remove "
                f"them, or clear {self.asker} with its downstream tasks to be asked anew."
            ) from None
        by = _answered_by(answered)
        self._record(context, approved=True, by=by)
        return {"asked": True, "approved_by": by}

    def _was_cleared(self, context: Context) -> bool:
        """Whether a person cleared the task; that raises its number of tries, a retry does not."""
        return bool(context["ti"].max_tries > (self.retries or 0))

    def _record(self, context: Context, *, approved: bool, by: str) -> None:
        with errors_for_airflow():
            self.asking.answer(context, approved, by)


def _answered_by(event: Mapping[str, Any]) -> str:
    user = event.get("responded_by_user") or {}
    return str(user.get("name") or user.get("id") or NOBODY)


def _link_to_log(context: Context, task_id: str) -> str:
    ti = context["ti"]
    base = conf.get("api", "base_url", fallback="").rstrip("/")
    url = f"{base}/dags/{ti.dag_id}/runs/{ti.run_id}/tasks/{task_id}"
    return f"[More of them are in the log of {task_id}]({url})"
