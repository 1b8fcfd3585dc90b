"""Use case: read a site's script, and find out what is new in it.

Fetch, parse, select by watermark or window, fold into a plan, and keep the plan under the name
that the later tasks know it by. A script with an error in a new block ends here, with every error
of the file in the log; nothing has changed then (docs/spec/03-planning.md).
"""

from __future__ import annotations

import datetime as dt
import hashlib
import logging
from collections import Counter
from dataclasses import dataclass

from site_indexer.index_script.counting import counted
from site_indexer.index_script.model import Diagnostic, Severity
from site_indexer.index_store.client import require_supported
from site_indexer.index_store.names import Target
from site_indexer.index_store.setup import ensure_shared
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.instants import in_words, iso
from site_indexer.indexing.intents import mend_unfinished_publish
from site_indexer.indexing.lost_index import refuse_lost_index
from site_indexer.indexing.model import RunRequest, ScriptRead
from site_indexer.indexing.plan_storage import StoredPlan, store_plan
from site_indexer.indexing.processed_blocks import tell_unprocessed
from site_indexer.indexing.push_completion import finish_push
from site_indexer.indexing.recording import step
from site_indexer.indexing.retrying import add_retries
from site_indexer.indexing.run_identity import change_set_digest
from site_indexer.indexing.script_fetching import fetch_site_script
from site_indexer.indexing.site_access import site_access
from site_indexer.indexing.site_view import view_of
from site_indexer.indexing.skipping import skipped_run
from site_indexer.indexing.staging import begins_staged, starting_watermark
from site_indexer.indexing.tidying import tidy
from site_indexer.indexing.unread_blocks import note_unread_blocks
from site_indexer.indexing.waiting_blocks import note_new_blocks
from site_indexer.planning.folding import make_plan
from site_indexer.planning.model import Plan
from site_indexer.planning.reading import read_script as parse_script
from site_indexer.planning.selection import (
    Criteria,
    ScriptDiagnosticsError,
    ensure_processable,
    select_by,
)
from site_indexer.planning.serialization import plan_digest

logger = logging.getLogger(__name__)

LEVELS = {Severity.ERROR: logging.ERROR, Severity.WARNING: logging.WARNING}


@dataclass(frozen=True, slots=True)
class PreparedPlan:
    """A plan, the watermark found, and the script it was made from.

    ``retried``: see :class:`~site_indexer.indexing.plan_storage.StoredPlan`. ``begins_staged``: the
    run makes the site's staged index, if only as a copy of live.
    """

    plan: Plan
    held: dt.datetime | None
    fresh_start: bool
    script_url: str
    script_digest: str
    retried: frozenset[int] = frozenset()
    begins_staged: bool = False

    @property
    def has_work(self) -> bool:
        """Whether the run goes on; a window without blocks never does."""
        return bool(self.plan.blocks) or (self.begins_staged and self.plan.window is None)

    @property
    def new_blocks(self) -> int:
        """How many blocks of the plan are new."""
        return len(self.plan.blocks) - len(self.retried)


@step("read_script")
def read_script(collaborators: Collaborators, request: RunRequest) -> ScriptRead:
    """Read the script of the request's site; store the plan unless it is a dry run.

    Where the target is on hold, or waits for an answer, nothing is read but whether blocks wait.
    Raises ScriptUnreachableError, ScriptError (with every finding), SiteFileError, and the
    store's errors.
    """
    read = _read(collaborators, request)
    if not read.has_work and not request.dry_run:
        collaborators.run_log.end(read.ends_as)
        # The task that tidies is not come to.
        tidy(collaborators, request)
    return read


def _read(collaborators: Collaborators, request: RunRequest) -> ScriptRead:
    if not request.dry_run:
        require_supported(collaborators.client)
        ensure_shared(collaborators.client)
        finish_push(collaborators, request.site, request.now)
        mend_unfinished_publish(collaborators, request.site, request.target)
        skipped = skipped_run(collaborators, request)
        if skipped is not None:
            note_unread_blocks(collaborators, request)
            return skipped
    try:
        prepared = prepare_plan(collaborators, request)
    except ScriptDiagnosticsError:
        # Only errors in new blocks stop a run, so there are some.
        note_new_blocks(collaborators.client, request, any_new=True)
        raise
    plan = prepared.plan
    note_new_blocks(collaborators.client, request, any_new=prepared.new_blocks > 0)
    known_of = Target.LIVE if prepared.begins_staged else request.target
    never = tell_unprocessed(collaborators, request.site, plan, known_of=known_of)
    digest = None
    if prepared.has_work and not request.dry_run:
        digest = change_set_digest(request, plan_digest(plan))
        store_plan(
            collaborators.client,
            digest,
            StoredPlan(
                plan=plan,
                held=prepared.held,
                target=request.target,
                run_id=request.run_id,
                fresh_start=prepared.fresh_start,
                script_url=prepared.script_url,
                script_digest=prepared.script_digest,
                retried=prepared.retried,
            ),
        )
    result = _result(prepared, digest, never)
    logger.info("%s", result.summary)
    return result


def prepare_plan(collaborators: Collaborators, request: RunRequest) -> PreparedPlan:
    """Fetch the script and make the plan of a run, writing nothing but the log.

    Raises LostIndexError where the watermark is all that is left of the site.
    """
    definition = collaborators.definition(request.site)
    begins = begins_staged(collaborators, request)
    held = starting_watermark(collaborators, request, begins=begins)
    place = collaborators.watermarks.place(request.site, request.target)
    logger.info("Watermark of %s (%s): %s", request.site, place, in_words(held))
    starts_afresh = request.clear_date or not definition.script.remember_date
    if request.window is None and not starts_afresh:
        refuse_lost_index(collaborators, request, held)
    if starts_afresh and request.window is None:
        logger.info("Clear Date: every block counts as new in this run")
    access = site_access(collaborators.connections, definition)
    fetched = fetch_site_script(definition, access, request.now)
    criteria = Criteria(
        watermark=None if starts_afresh else held,
        window=request.window,
        now=request.now,
        future_blocks=definition.script.future_blocks,
        on_error=definition.script.on_error,
    )
    script = parse_script(
        fetched.data,
        source=definition.script.url,
        now=request.now,
        hosts=definition.site_hosts,
        criteria=criteria,
        max_bytes=definition.script.max_bytes,
    )
    selection = select_by(script, criteria)
    plan = make_plan(selection, view_of(definition), now=request.now)
    log_diagnostics(plan.diagnostics, definition.script.url)
    # The log has just listed them all.
    ensure_processable(plan, definition.script.url, listed=False)
    fresh_start = starts_afresh and request.window is None
    retried: frozenset[int] = frozenset()
    if not fresh_start:
        together = add_retries(collaborators, request, plan)
        plan, retried = together.plan, together.numbers
    return PreparedPlan(
        plan=plan,
        held=held,
        fresh_start=fresh_start,
        script_url=definition.script.url,
        script_digest=hashlib.sha256(fetched.data).hexdigest(),
        retried=retried,
        begins_staged=begins,
    )


def log_diagnostics(diagnostics: tuple[Diagnostic, ...], source: str) -> None:
    """Write each finding as one line of its own level: place, text, what was expected."""
    for found in diagnostics:
        logger.log(
            LEVELS[found.severity],
            "%s:%d:%d: %s %s [%s] %s",
            source,
            found.line,
            found.column,
            found.message,
            found.hint,
            found.code,
            found.text,
            extra={"script_line": found.line},
        )


def _result(prepared: PreparedPlan, digest: str | None, never_processed: int) -> ScriptRead:
    plan = prepared.plan
    severities = Counter(found.severity for found in plan.diagnostics)
    skipped = Counter(block.reason.value for block in plan.skipped)
    commands = {step.action.value: len(step.commands) for step in plan.steps}
    again = sum(
        command.block in prepared.retried for step in plan.steps for command in step.commands
    )
    return ScriptRead(
        has_work=prepared.has_work,
        digest=digest,
        summary=_summary(prepared, commands, skipped, again),
        script_url=prepared.script_url,
        script_digest=prepared.script_digest,
        selected=prepared.new_blocks,
        skipped=dict(skipped),
        action_types=tuple(commands),
        commands=commands,
        watermark_before=iso(plan.watermark_before),
        watermark_after=iso(plan.watermark_after),
        errors=severities[Severity.ERROR],
        warnings=severities[Severity.WARNING],
        never_processed=never_processed,
        retried=again,
    )


def _summary(
    prepared: PreparedPlan, commands: dict[str, int], skipped: Counter[str], again: int
) -> str:
    plan = prepared.plan
    left = ", ".join(f"{count} {reason}" for reason, count in sorted(skipped.items())) or "none"
    if not plan.blocks and prepared.has_work:
        return "Nothing is new; the staged index begins as a copy of live."
    if not plan.blocks:
        return (
            f"Nothing is new and nothing to retry: no block to process (skipped: {left}). "
            "The run ends here."
        )
    work = ", ".join(f"{count} {action}" for action, count in commands.items()) or "rules only"
    return (
        f"{counted(prepared.new_blocks, 'new block')}, "
        f"{counted(again, 'page')} to try again ({work}); skipped: {left}. "
        f"Watermark {in_words(plan.watermark_before)} -> {in_words(plan.watermark_after)}"
    )
