"""Watermarks as Airflow Variables, where a person can read, edit and delete them.

The rules are those of docs/spec/06-watermark.md, *The Variable*.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterator
from contextlib import contextmanager

from airflow.sdk import Variable
from airflow.sdk.exceptions import AirflowRuntimeError

from site_indexer.errors import ConfigurationError, TransientError
from site_indexer.index_store.names import Target

FORM = "2026-11-24T06:00:00Z"


class WatermarkUnreadableError(TransientError):
    """Airflow did not answer whether there is a watermark."""

    code = "watermark-unreadable"
    exit_status = 3


class VariableWatermarks:
    """The Watermarks port on Airflow Variables; works inside tasks only."""

    def get(self, site: str, target: Target) -> dt.datetime | None:
        """The watermark, or None where the Variable certainly does not exist.

        Raises ConfigurationError for a value that is no date, WatermarkUnreadableError where
        Airflow gives no clear answer.
        """
        key = variable_key(site, target)
        text: str | None = Variable.get(key, default=None)
        if text is not None:
            return _parse(key, text)
        # A failing API reads like a missing Variable, and no watermark means indexing it all anew.
        with _answering(key):
            exists = _exists(key)
        if exists:
            raise WatermarkUnreadableError(
                f"The Airflow Variable {key} exists, but Airflow did not give its value.", site=site
            )
        return None

    def set(self, site: str, target: Target, value: dt.datetime) -> None:
        """Remember a watermark. Raises ConfigurationError where it reads back as another."""
        key = variable_key(site, target)
        text = _format(value)
        with _answering(key):
            Variable.set(key, text, description=_description(site, target))
        kept: str | None = Variable.get(key, default=None)
        if kept != text:
            raise ConfigurationError(
                f"The Airflow Variable {key} was set to {text}, but reads as {kept!r}: "
                f"{_what_shadows(key)}.",
                hint="Remove that, so that the watermark of this site can move.",
                site=site,
            )

    def clear(self, site: str, target: Target) -> None:
        """Forget the watermark. Raises ConfigurationError where something else still gives one."""
        key = variable_key(site, target)
        with _answering(key):
            if _exists(key):
                Variable.delete(key)
        kept: str | None = Variable.get(key, default=None)
        if kept is not None:
            raise ConfigurationError(
                f"The Airflow Variable {key} was deleted, but still reads as {kept!r}: "
                f"{_what_shadows(key)}.",
                hint="Remove that, so that the watermark of this site can be cleared.",
                site=site,
            )

    @property
    def outlives_index(self) -> bool:
        """Airflow keeps them, whatever becomes of OpenSearch's data."""
        return True

    def place(self, site: str, target: Target) -> str:
        """Where a person finds it."""
        return f"Airflow Variable {variable_key(site, target)}"


def variable_key(site: str, target: Target) -> str:
    """The key of the Variable that holds a watermark."""
    return f"site_indexer__{site}__{target.value}__watermark"


def _exists(key: str) -> bool:
    return key in list(Variable.keys(prefix=key))


@contextmanager
def _answering(key: str) -> Iterator[None]:
    try:
        yield
    except AirflowRuntimeError as error:
        raise WatermarkUnreadableError(
            f"Airflow gave no answer about the Variable {key}: {error}"
        ) from error


def _format(value: dt.datetime) -> str:
    return value.astimezone(dt.UTC).isoformat().replace("+00:00", "Z")


def _parse(key: str, text: str) -> dt.datetime:
    try:
        value = dt.datetime.fromisoformat(text.strip())
    except ValueError:
        value = None
    if value is None or value.tzinfo is None:
        raise ConfigurationError(
            f"The Airflow Variable {key} holds {text!r}; expected a date and time in UTC such as "
            f"{FORM}.",
            hint="Correct it under Admin > Variables, or delete it to process every block anew.",
        )
    return value.astimezone(dt.UTC)


def _description(site: str, target: Target) -> str:
    return (
        f"Date of the last block of {site}'s index script that is in the {target.value} index. "
        "Blocks dated later are new. Deleting this Variable is Clear Date: every block is new."
    )


def _what_shadows(key: str) -> str:
    name = f"AIRFLOW_VAR_{key.upper()}"
    if name in os.environ:
        return f"the environment variable {name} goes before it"
    return "a secrets backend goes before it, or somebody changed it at the same moment"
