"""Sends alerts by Airflow's own notifiers, those that the deployment has chosen.

``SITE_INDEXER_NOTIFIERS`` is a JSON list of ``{"notifier": CLASS, "arguments": {...}}``: the dotted
name of a class and what it is made with. Arguments that the class has as template fields may use
``{{ alert.subject }}``, ``{{ alert.text }}``, ``{{ alert.owner }}``, ``{{ alert.site }}``,
``{{ alert.kind }}`` and ``{{ alert.run_id }}``. Each alert is in the log as well.
"""

from __future__ import annotations

import importlib
import json
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from airflow.sdk import BaseNotifier, Context

from site_indexer.errors import ConfigurationError
from site_indexer.orchestration import alerts
from site_indexer.orchestration.alerts import Alert, AlertedSite
from site_indexer.sites.definition import SiteDefinition

NOTIFIERS_VARIABLE = "SITE_INDEXER_NOTIFIERS"

logger = logging.getLogger(__name__)


def alerted_site(definition: SiteDefinition) -> AlertedSite:
    """What alerts say of a site."""
    return AlertedSite(definition.id, definition.name, definition.owner)


class AlertNotifier(BaseNotifier):
    """An Airflow notifier that sends what ``make`` says of the context."""

    def __init__(self, make: Callable[[Context], Alert]) -> None:
        super().__init__()
        self.make = make

    def notify(self, context: Context) -> None:
        """Send the alert. A notifier that fails costs neither the run nor the other notifiers."""
        send(self.make(context), context)


def on_failure(site: AlertedSite) -> AlertNotifier:
    """For a Dag's ``on_failure_callback``: called once a run, however its task died."""
    return AlertNotifier(lambda context: alerts.failed(site, run_of(context), failed_task(context)))


def on_waiting(site: AlertedSite) -> AlertNotifier:
    """For the ``notifiers`` of a task that asks a person."""
    return AlertNotifier(lambda context: alerts.waiting_for_approval(site, run_of(context)))


def run_is_overdue(context: Context, site: Mapping[str, str], after: str) -> None:
    """What a Dag's deadline calls: a run has not ended in time."""
    send(alerts.overdue(AlertedSite(**site), run_of(context), after), context)


def send(alert: Alert, context: Context) -> None:
    """Send an alert by all notifiers of the deployment, and write it to the log. Never raises."""
    logger.error("ALERT %s. %s", alert.subject, alert.text)
    try:
        notifiers = list(configured_notifiers())
    except ConfigurationError as error:
        logger.error("%s", error)
        return
    for notifier in notifiers:
        try:
            # It renders its arguments with the context, and logs itself what it raises.
            notifier({**context, "alert": alert})
        except Exception:  # noqa: BLE001 - mail, chat and the like raise whatever they like
            logger.warning("%s did not send the alert.", type(notifier).__name__)


def configured_notifiers(environment: Mapping[str, str] = os.environ) -> Iterator[BaseNotifier]:
    """The deployment's notifiers. Raises ConfigurationError that names the setting."""
    text = environment.get(NOTIFIERS_VARIABLE, "").strip()
    for entry in _entries(text) if text else ():
        module, _, name = entry["notifier"].rpartition(".")
        try:
            made = getattr(importlib.import_module(module), name)(**entry.get("arguments", {}))
        except (ImportError, AttributeError, TypeError, ValueError) as error:
            raise ConfigurationError(
                f"{NOTIFIERS_VARIABLE} names the notifier {entry['notifier']!r}, which cannot be "
                f"made: {error}.",
                hint="Install its provider, and see which arguments the class takes.",
            ) from error
        if not isinstance(made, BaseNotifier):
            raise ConfigurationError(
                f"{NOTIFIERS_VARIABLE} names {entry['notifier']!r}, which is no Airflow notifier."
            )
        yield made


def _entries(text: str) -> list[dict[str, Any]]:
    try:
        entries = json.loads(text)
    except ValueError as error:
        raise _bad_setting(f"is no JSON ({error})") from None
    if not isinstance(entries, list):
        raise _bad_setting("is no list")
    for entry in entries:
        if not isinstance(entry, dict) or "." not in str(entry.get("notifier", "")):
            raise _bad_setting(f"has the entry {entry!r}")
        if entry.keys() - {"notifier", "arguments"}:
            raise _bad_setting(f"has an entry with unknown fields: {', '.join(entry)}")
    return entries


def _bad_setting(what: str) -> ConfigurationError:
    return ConfigurationError(
        f"{NOTIFIERS_VARIABLE} {what}; expected a list such as "
        '[{"notifier": "airflow.providers.smtp.notifications.smtp.SmtpNotifier", '
        '"arguments": {"to": "{{ alert.owner }}", "subject": "{{ alert.subject }}"}}].'
    )


def run_of(context: Context) -> str:
    """The id of the run that a context is of."""
    run: Any = context.get("dag_run")
    if isinstance(run, Mapping):  # as a deadline has it: the answer of the REST API
        return str(run.get("dag_run_id", "unknown"))
    return str(context.get("run_id") or (run.run_id if run is not None else "unknown"))


def failed_task(context: Context) -> str | None:
    """The task that a context is of, as far as it is known."""
    ti = context.get("ti")
    return None if ti is None else ti.task_id
