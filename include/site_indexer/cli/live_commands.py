"""``push-live``, ``rollback``, ``hold``, ``drop-staged``: what a person does to a live index."""

from __future__ import annotations

import argparse
import getpass

from site_indexer.cli import operation_logging
from site_indexer.cli.connection import collaborators_of
from site_indexer.cli.inputs import clock
from site_indexer.cli.output import Output
from site_indexer.errors import RemovalsNotApprovedError, RunFailedError
from site_indexer.index_store.names import Target
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.holding import (
    ReleaseTo,
    describe_hold,
    hold_of,
    put_on_hold,
    release_hold,
)
from site_indexer.indexing.instants import iso
from site_indexer.indexing.operation_log import OperationKind
from site_indexer.indexing.pushing import look_at_push, push_live
from site_indexer.indexing.removal_questions import Question
from site_indexer.indexing.rolling_back import look_at_rollback, roll_back
from site_indexer.indexing.run import refuse_airflow_site
from site_indexer.indexing.run_identity import new_shell_run_id
from site_indexer.indexing.staging import drop_staged


def push(arguments: argparse.Namespace, output: Output) -> int:
    """Show searchers the staged index in place of live's."""
    collaborators = _collaborators(arguments, "site_indexer_push_live", Target.LIVE, Target.STAGED)
    run_id, now = new_shell_run_id(), clock(arguments)
    outlook = look_at_push(collaborators, arguments.site, run_id=run_id, now=now)
    if outlook.gained and not arguments.force:
        raise RunFailedError(
            outlook.text, hint="Run the staged index again, or give --force.", site=arguments.site
        )
    _refuse_removals(arguments, outlook.question)
    output.confirm(outlook.text, yes=arguments.yes)
    with operation_logging.logged(
        collaborators, OperationKind.PUSH_LIVE, arguments.site, run_id
    ) as logged:
        done = push_live(
            logged,
            arguments.site,
            run_id=run_id,
            now=now,
            force=arguments.force,
            accept=arguments.accept_removals,
        )
    output.facts(done)
    return 0


def rollback(arguments: argparse.Namespace, output: Output) -> int:
    """Show searchers an earlier generation again, and put the site on hold."""
    collaborators = _collaborators(arguments, "site_indexer_roll_back", Target.LIVE)
    run_id = new_shell_run_id()
    outlook = look_at_rollback(collaborators, arguments.site, run_id=run_id, to=arguments.to)
    _refuse_removals(arguments, outlook.question)
    output.confirm(outlook.text, yes=arguments.yes)
    with operation_logging.logged(
        collaborators, OperationKind.ROLL_BACK, arguments.site, run_id
    ) as logged:
        done = roll_back(
            logged,
            arguments.site,
            run_id=run_id,
            by=getpass.getuser(),
            now=clock(arguments),
            to=outlook.change.to.name,
            accept=arguments.accept_removals,
        )
    output.facts(done)
    return 0


def hold(arguments: argparse.Namespace, output: Output) -> int:
    """Show a site's hold, put it on hold, or release it."""
    collaborators = collaborators_of(arguments)
    site = collaborators.definition(arguments.site).id
    if arguments.change == "release":
        to = ReleaseTo(arguments.watermark)
        if not arguments.standalone:
            refuse_airflow_site(collaborators, site, Target.LIVE, dag="site_indexer_hold")
        kept = to is ReleaseTo.KEEP
        words = "keeps its date" if kept else "becomes that of the generation that is shown"
        output.confirm(f"Release {site} from its hold; its watermark {words}.", yes=arguments.yes)
        with operation_logging.logged(collaborators, OperationKind.HOLD, site) as logged:
            mark = release_hold(logged, site, to)
        output.facts({"site": site, "held": False, "watermark": iso(mark)})
        return 0
    if arguments.change == "set":
        words = f"Put {site} on hold: until it is released no run changes live."
        output.confirm(words, yes=arguments.yes)
        with operation_logging.logged(collaborators, OperationKind.HOLD, site) as logged:
            put_on_hold(logged, site, by=getpass.getuser(), now=clock(arguments))
    found = hold_of(collaborators, site)
    output.facts(
        {
            "site": site,
            "held": found is not None,
            "reason": None if found is None else describe_hold(found),
        }
    )
    return 0


def drop(arguments: argparse.Namespace, output: Output) -> int:
    """Let the staged index of a site go."""
    collaborators = _collaborators(arguments, "site_indexer_drop_staged", Target.STAGED)
    words = f"Drop the staged index of {arguments.site}, its watermark and its retry list."
    output.confirm(words, yes=arguments.yes)
    site, kind = arguments.site, OperationKind.DROP_STAGED
    with operation_logging.logged(collaborators, kind, site, target=Target.STAGED) as logged:
        done = drop_staged(logged, site)
    output.facts(done)
    return 0


def _collaborators(arguments: argparse.Namespace, dag: str, *targets: Target) -> Collaborators:
    collaborators = collaborators_of(arguments)
    site = collaborators.definition(arguments.site).id
    if not arguments.standalone:
        refuse_airflow_site(collaborators, site, *targets, dag=dag)
    return collaborators


def _refuse_removals(arguments: argparse.Namespace, question: Question | None) -> None:
    if question is not None and not arguments.accept_removals:
        raise RemovalsNotApprovedError(
            question.plain, hint="Give --accept-removals to agree.", site=arguments.site
        )
