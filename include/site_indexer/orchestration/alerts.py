"""What alerts say: what has happened, and what to do (docs/spec/05-index-lifecycle.md, 5.17)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class AlertKind(StrEnum):
    """Why somebody is called."""

    FAILED = "failed"
    WAITING_FOR_APPROVAL = "waiting-for-approval"
    HELD = "held"
    STALE = "stale"
    OVERDUE = "overdue"


@dataclass(frozen=True, slots=True)
class AlertedSite:
    """The site that alerts are about, and who is called."""

    id: str
    name: str
    owner: str


@dataclass(frozen=True, slots=True)
class Alert:
    """One call. ``subject`` is one line; ``text`` says what has happened, then what to do."""

    kind: AlertKind
    site: str
    owner: str
    run_id: str
    subject: str
    text: str


_RERUN = "Clear it with its downstream tasks, or wait for the next run: its blocks stay new."

WHAT_TO_DO: Mapping[str, str] = {
    "read_script": (
        "Correct the script at the lines that the log names, or see that it can be reached; the "
        "next run reads it again."
    ),
    "plan": "See whether OpenSearch answers. " + _RERUN,
    "branch": _RERUN,
    "delete": "See whether OpenSearch answers. " + _RERUN,
    "deletemask": "See whether OpenSearch answers. " + _RERUN,
    "add": "See in its log whether the website or OpenSearch is down. " + _RERUN,
    "update": "See in its log whether the website or OpenSearch is down. " + _RERUN,
    "review": (
        "Too many pages failed, or work is missing: see which in the index log. When the website "
        "answers again, the next run makes it good."
    ),
    "approve": (
        "The removals were rejected, or nobody answered in time. Correct what would remove the "
        "documents, or clear the task that asked with its downstream tasks to be asked anew."
    ),
    "publish": "Clear it: what was gathered is not fetched again.",
    "tidy": (
        "The index is published; only old indexes were not removed. Clear it, or leave it to the "
        "next run."
    ),
    "result": "The index is published; only the summary is missing. Clear it.",
    "site_file": "Correct the site file; until then the site is not indexed.",
}

_LOOK_ANEW = "Clear its task look with the downstream tasks: it looks anew, and goes on from there."

OPERATION_TO_DO: Mapping[str, str] = {
    "look": (
        "Nothing has changed. Its log says what stands against it: nothing staged, no such "
        "generation, or something that live has gained meanwhile."
    ),
    "approve": WHAT_TO_DO["approve"],
    "push_live": _LOOK_ANEW,
    "roll_back": _LOOK_ANEW,
    "drop_staged": "Read its log, and clear it: done twice is as done once.",
    "set_watermark": "Read its log, and trigger it again with options that it takes.",
    "hold": "Read its log, and clear it: done twice is as done once.",
}

_ELSE = "Open the red task that is furthest left, and read its log from the end."


def failed(site: AlertedSite, run_id: str, task_id: str | None) -> Alert:
    """A run has failed, in that task as far as it is known."""
    where = f" in the task {task_id}" if task_id else ""
    published = task_id in ("tidy", "result")
    seen = "" if published else "Searchers still see the whole index from before the run. "
    to_do = WHAT_TO_DO.get(task_id or "", _ELSE)
    return _alert(
        AlertKind.FAILED,
        site,
        run_id,
        subject=f"{site.id}: a run failed{where}",
        text=f"Run {run_id} of {site.name} ({site.id}) failed{where}. {seen}{to_do} "
        f"Its errors: site-indexer log {site.id} --run {run_id} --errors-only",
    )


def operation_failed(site: AlertedSite, operation: str, run_id: str, task_id: str | None) -> Alert:
    """What a person wanted done to a site's indexes has failed. ``run_id`` is as in the index log.

    ``operation`` is in words: ``push live``.
    """
    where = f" in the task {task_id}" if task_id else ""
    to_do = OPERATION_TO_DO.get(task_id or "", _ELSE)
    return _alert(
        AlertKind.FAILED,
        site,
        run_id,
        subject=f"{site.id}: {operation} failed{where}",
        text=f"Run {run_id}, {operation} of {site.name} ({site.id}), failed{where}. Searchers see "
        f"a whole index, the one before or the one after it. {to_do} "
        f"Its errors: site-indexer log {site.id} --run {run_id} --errors-only",
    )


def operation_waiting(site: AlertedSite, operation: str, run_id: str) -> Alert:
    """What a person wanted done would take documents from searchers, and asks."""
    return _alert(
        AlertKind.WAITING_FOR_APPROVAL,
        site,
        run_id,
        subject=f"{site.id}: {operation} waits for an answer",
        text=f"Run {run_id}, {operation} of {site.name} ({site.id}), would take more documents "
        "from searchers than may go unasked, and waits. Open its task approve in Airflow, look at "
        "the samples, and answer Approve or Reject. Until then script runs of live wait too.",
    )


def waiting_for_approval(site: AlertedSite, run_id: str) -> Alert:
    """A run asks whether documents may go."""
    return _alert(
        AlertKind.WAITING_FOR_APPROVAL,
        site,
        run_id,
        subject=f"{site.id}: removals wait for an answer",
        text=f"Run {run_id} of {site.name} ({site.id}) would remove more documents than may go "
        "unasked, and waits. Open its task approve in Airflow, look at the samples, and answer "
        "Approve or Reject. Until then later blocks of the site wait too, and searchers see the "
        "index from before the run.",
    )


def held(site: AlertedSite, run_id: str, reason: str) -> Alert:
    """A run was skipped because its target is on hold."""
    return _alert(
        AlertKind.HELD,
        site,
        run_id,
        subject=f"{site.id}: runs are skipped while it is on hold",
        text=f"Run {run_id} of {site.name} ({site.id}) was skipped: {reason.rstrip('.')}. Once the "
        "index is as it should be, release the hold, and choose whether the watermark stays or "
        "goes back to that of the index that is shown; the next run then goes on from there.",
    )


def stale(site: AlertedSite, run_id: str, target: str, since: str, after: str) -> Alert:
    """New blocks wait for longer than ``after``, since the run that saw them first."""
    return _alert(
        AlertKind.STALE,
        site,
        run_id,
        subject=f"{site.id}: new blocks have waited since {since}",
        text=f"New blocks of the script of {site.name} ({site.id}, {target}) have been waiting "
        f"since {since}, longer than stale_after ({after}) allows; run {run_id} has just seen it. "
        "Look at the site's last runs in Airflow: mend what made them fail, answer what they ask, "
        "or release the hold.",
    )


def overdue(site: AlertedSite, run_id: str, after: str) -> Alert:
    """A run has been queued or running for longer than ``after``."""
    return _alert(
        AlertKind.OVERDUE,
        site,
        run_id,
        subject=f"{site.id}: a run does not end",
        text=f"Run {run_id} of {site.name} ({site.id}) was queued more than {after} ago and has "
        "not ended. Look at it in Airflow: answer its task approve, let the scheduler run, or mark "
        "the run as failed: its blocks stay new, and the next run takes them, or asks anew.",
    )


def _alert(kind: AlertKind, site: AlertedSite, run_id: str, *, subject: str, text: str) -> Alert:
    return Alert(kind, site.id, site.owner, run_id, subject, text)
