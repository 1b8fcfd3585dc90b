"""From the evidence about a URL to one sentence, and what a person can do (pure).

Asked in this order, the first that holds is the reason: the site's hosts, the document itself, an
alias, whether anything was published, a standing removal, the last visit, the script, robots.txt.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from site_indexer.crawling.model import Outcome, RecordAction
from site_indexer.crawling.robots import RobotsAccess
from site_indexer.index_script.model import Action
from site_indexer.index_store.removals import StandingRemoval
from site_indexer.indexing.instants import in_words
from site_indexer.indexing.script_opinion import Opinion
from site_indexer.indexing.url_evidence import Evidence, Visit

_APPEND = "Append a block with 'add {url}' to the script (site-indexer append-block), and run it."
_RUN_THE_SCRIPT = "Run the site's script, in Airflow or with site-indexer run."


_MOST_RULES = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """Whether searchers find the URL, why, and what to do if that is not wanted ("": nothing)."""

    in_index: bool
    sentence: str
    advice: str


def verdict(evidence: Evidence) -> Finding:
    """The reason why a URL is, or is not, in the index."""
    for ask in (_host, _document, _alias, _nothing_published, _removed, _visited, _never_met):
        finding = ask(evidence)
        if finding is not None:
            return finding
    raise ValueError(f"no reason was found for {evidence.url}")


def _host(evidence: Evidence) -> Finding | None:
    if evidence.is_on_site:
        return None
    hosts = ", ".join(evidence.hosts)
    return Finding(
        False,
        f"It is on none of the hosts of {evidence.site} ({hosts}), so it is never crawled.",
        "If the host belongs to the site, add it to hosts in the site file.",
    )


def _document(evidence: Evidence) -> Finding | None:
    if evidence.document is None or evidence.generation is None:
        return None
    sentence = (
        f"It is in the index: {evidence.generation.name} holds its document, fetched at "
        f"{evidence.document.get('fetched_at')}"
    )
    date = evidence.document.get("block_date")
    sentence += f", written for the block of {date}." if date else "."
    last = evidence.last_visit
    if last is not None and last.outcome == Outcome.FAILED:
        return Finding(
            True,
            f"{sentence} Its last visit failed, so it may be old: {_error(evidence, last)}",
            _tried_again(evidence)
            or "See whether the server answers; the next command that names the page tries again.",
        )
    return Finding(True, sentence, "")


def _alias(evidence: Evidence) -> Finding | None:
    if evidence.stored_as is None:
        return None
    return Finding(
        True,
        f"It is in the index as an alias: its page is stored as {evidence.stored_as}, to which it "
        "redirects, or which it names as its canonical.",
        "If it should stand by itself, remove the redirect or the canonical from the page.",
    )


def _nothing_published(evidence: Evidence) -> Finding | None:
    generation = evidence.generation
    if generation is not None and (generation.run_id is not None or evidence.was_run):
        return None
    return Finding(
        False,
        f"Nothing has been published for {evidence.site} ({evidence.target}) yet.",
        _RUN_THE_SCRIPT,
    )


def _removed(evidence: Evidence) -> Finding | None:
    removal = next(iter(evidence.removals), None)
    if removal is None:
        return None
    last = evidence.last_visit
    if last is not None and last.action != RecordAction.WRITE and _is_newer(last, removal):
        return None  # it could come back, were it not for what the visit found
    return Finding(
        False,
        f"Line {removal.line} of the block of {in_words(removal.counts_as)} keeps it out "
        f"({removal.url or removal.mask}): no newer block has written it since.",
        _APPEND.format(url=evidence.url),
    )


def _is_newer(visit: Visit, removal: StandingRemoval) -> bool:
    date = visit.block_date
    return date is not None and date > removal.counts_as


def _visited(evidence: Evidence) -> Finding | None:
    visit = evidence.last_visit
    if visit is None:
        return None
    sentence, advice = _OF_OUTCOME.get(visit.outcome, _odd)(evidence, visit)
    return Finding(False, f"At {in_words(visit.fetched_at)} {sentence}", advice)


def _line(visit: Visit) -> str:
    where = f"line {visit.facts.get('line')}"
    return where if visit.block_date is None else f"{where} (block of {in_words(visit.block_date)})"


def _rule(visit: Visit) -> str:
    """The rules that judged the page, as the blocks that reached it have them."""
    rules = [reach["rule"] for reach in visit.facts.get("reaches", ()) if reach.get("rule")]
    return "; ".join(dict.fromkeys(rules)) or "no rule lets it in"


def _error(evidence: Evidence, visit: Visit) -> str:
    text = str(visit.facts.get("error") or visit.facts.get("failure") or "no reason was noted")
    return text.removeprefix(f"{evidence.url}: ").rstrip(".") + "."


def _written(evidence: Evidence, visit: Visit) -> tuple[str, str]:
    rejected = visit.facts.get("rejected")
    if rejected:
        return f"its document could not be indexed: {rejected}.", "Mend the page or its URL."
    return (
        f"a run ({visit.run_id or 'whose plan is no longer kept'}) read it for {_line(visit)}, but "
        f"{evidence.target} does not show what that run wrote: it failed later, goes on still, or "
        "was rolled back.",
        "See how that run ended; run again if it failed.",
    )


def _not_written(evidence: Evidence, visit: Visit) -> tuple[str, str]:
    del evidence
    return (
        f"it was followed and not written: {_line(visit)} or a rule says noindex ({_rule(visit)}).",
        "Name it in a newer block without noindex.",
    )


def _noindex(evidence: Evidence, visit: Visit) -> tuple[str, str]:
    del visit
    return (
        "the page itself said noindex.",
        f"Take noindex out of the page or its headers (site-indexer fetch {evidence.url}).",
    )


def _gone(evidence: Evidence, visit: Visit) -> tuple[str, str]:
    return (
        f"its server answered {visit.facts.get('status')}: there is no such page.",
        f"If it is there again: {_APPEND.format(url=evidence.url)}",
    )


def _redirected(evidence: Evidence, visit: Visit) -> tuple[str, str]:
    del evidence
    target = visit.facts.get("target")
    return (
        f"it led to {target or 'what is no http or https URL'} (status "
        f"{visit.facts.get('status')}), and no document stands there.",
        f"Ask the same of {target}." if target else "Mend the redirect.",
    )


def _duplicate(evidence: Evidence, visit: Visit) -> tuple[str, str]:
    del evidence
    target = visit.facts.get("target")
    return f"it named {target} as its canonical.", f"Ask the same of {target}."


def _excluded(evidence: Evidence, visit: Visit) -> tuple[str, str]:
    del evidence
    return (
        f"the rules left it out ({_rule(visit)}), as {_line(visit)} reached it.",
        "Add an include line above the rule that leaves it out, in a newer block.",
    )


def _refused(evidence: Evidence, visit: Visit) -> tuple[str, str]:
    return (
        f"it was not asked for: {_error(evidence, visit)}",
        "Change robots.txt; its owner may also set crawl.robots to ignore in the site file.",
    )


def _failed(evidence: Evidence, visit: Visit) -> tuple[str, str]:
    return (
        f"it could not be fetched: {_error(evidence, visit)}",
        _tried_again(evidence)
        or f"See site-indexer fetch {evidence.url}; then name it in a newer block.",
    )


def _tried_again(evidence: Evidence) -> str:
    """What to do about a page that runs try again by themselves; "" where they do not."""
    retry = evidence.retry
    if retry is None:
        return ""
    return (
        f"See whether its server answers (site-indexer fetch {evidence.url}). It is on the retry "
        f"list: each run tries it again until {in_words(retry.until)}."
    )


def _unsupported(evidence: Evidence, visit: Visit) -> tuple[str, str]:
    del visit
    return (
        "it was of a type that is not indexed, or a sitemap.",
        f"See the type that its server states (site-indexer fetch {evidence.url}).",
    )


def _odd(evidence: Evidence, visit: Visit) -> tuple[str, str]:
    del evidence
    return f"a run noted {visit.outcome or 'nothing'} for it.", "See the log of that run."


_OF_OUTCOME: dict[str, Callable[[Evidence, Visit], tuple[str, str]]] = {
    Outcome.INDEXED: _written,
    Outcome.UNCHANGED: _written,
    Outcome.NOT_WRITTEN: _not_written,
    Outcome.NOINDEX: _noindex,
    Outcome.GONE: _gone,
    Outcome.REDIRECT: _redirected,
    Outcome.DUPLICATE: _duplicate,
    Outcome.EXCLUDED: _excluded,
    Outcome.REFUSED: _refused,
    Outcome.FAILED: _failed,
    Outcome.UNSUPPORTED: _unsupported,
}


def _never_met(evidence: Evidence) -> Finding:
    for ask in (_unreadable_script, _left_out, _forbidden, _waiting):
        finding = ask(evidence)
        if finding is not None:
            return finding
    opinion = evidence.opinion
    sentence = (
        "No run of the last 7 days has met it: no command named it, and no page that was followed "
        "links to it"
    )
    if opinion is not None and opinion.exclusions:
        sentence += f", or the block that met the link leaves it out: {_exclusions(opinion)}"
    return Finding(False, f"{sentence}.", _APPEND.format(url=evidence.url))


def _unreadable_script(evidence: Evidence) -> Finding | None:
    if evidence.opinion is None or evidence.opinion.error is None:
        return None
    return Finding(
        False,
        "No run of the last 7 days has met it, and what the script says is not known: "
        f"{evidence.opinion.error}",
        "Mend the script or its server, and ask again.",
    )


def _left_out(evidence: Evidence) -> Finding | None:
    opinion = evidence.opinion
    if opinion is None:
        return None
    if opinion.newest is None:
        return Finding(
            False,
            "No rule of any block lets it in, and no entry point of the site stands above it.",
            _APPEND.format(url=evidence.url),
        )
    if opinion.is_let_in:
        return None
    return Finding(
        False,
        f"The rules leave it out: {_exclusions(opinion)}.",
        "Add an include line above that rule, in a newer block.",
    )


def _exclusions(opinion: Opinion) -> str:
    rules = [each.judgement.rule for each in opinion.exclusions[:_MOST_RULES]]
    places = [
        (rule.text, "the site file" if rule.line is None else f"line {rule.line}")
        for rule in rules
        if rule is not None
    ]
    return "; ".join(f"{text} ({place})" for text, place in places)


def _forbidden(evidence: Evidence) -> Finding | None:
    robots = evidence.robots
    if robots is None or robots.access is not RobotsAccess.REFUSED:
        return None
    return Finding(
        False,
        f"robots.txt forbids to fetch it ({robots.rule}).",
        "Change robots.txt; its owner may also set crawl.robots to ignore in the site file.",
    )


def _waiting(evidence: Evidence) -> Finding | None:
    """A command names it in a block that is newer than what was published."""
    naming = evidence.opinion.naming if evidence.opinion is not None else None
    if naming is None or naming.action not in (Action.ADD, Action.UPDATE):
        return None
    watermark = evidence.generation.watermark if evidence.generation is not None else None
    if naming.block_date is None or (watermark is not None and naming.block_date <= watermark):
        return None
    return Finding(
        False,
        f"Line {naming.line} names it ({naming.text}), in the block of "
        f"{in_words(naming.block_date)}, which no run has processed yet.",
        _RUN_THE_SCRIPT,
    )
