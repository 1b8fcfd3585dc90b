"""What damaged scripts and URLs go through, and what must be true of whatever comes out."""

from __future__ import annotations

import datetime as dt
import json
import random
from contextlib import suppress

from site_indexer.errors import ScriptError, UrlError
from site_indexer.index_script import IndexScript, Severity
from site_indexer.index_script.appending import new_block
from site_indexer.index_script.rendering import render_diagnostic, script_as_json
from site_indexer.index_script.spelling import block_digest
from site_indexer.masks import DocumentDates, check_mask, compile_mask
from site_indexer.masks.mask_index import MaskIndex
from site_indexer.planning.folding import make_plan
from site_indexer.planning.model import Window
from site_indexer.planning.reading import read_script
from site_indexer.planning.rules import rules_of_blocks
from site_indexer.planning.selection import Criteria, select_by
from site_indexer.planning.serialization import (
    plan_as_json,
    plan_digest,
    plan_from_dict,
    plan_table,
    plan_to_dict,
)
from site_indexer.urls import (
    MaskKind,
    SiteHosts,
    document_id,
    host_of,
    normalize,
    normalize_prefix,
)

NOW = dt.datetime(2026, 6, 15, 12, tzinfo=dt.UTC)
HOSTS = SiteHosts(["www.example.com", "h"])
LONG_AGO = dt.datetime(1994, 11, 6, 12, tzinfo=dt.UTC)
URLS = ("https://www.example.com/a.html", "https://h/", "http://h/x?y=%20")
DATES = (None, DocumentDates(), DocumentDates(own=LONG_AGO, server=NOW))


def try_script(data: bytes, source: random.Random) -> None:
    """A script, from its bytes to its plan; errors that the language declares are no failure."""
    criteria = Criteria(
        watermark=source.choice((None, LONG_AGO)),
        window=source.choice((None, None, Window(LONG_AGO - dt.timedelta(days=9), NOW))),
        now=NOW,
        future_blocks=source.choice(("process", "hold")),
        on_error=source.choice(("stop", "skip_line", "skip_block", "skip_block")),
    )
    hosts = source.choice((None, HOSTS))
    try:
        script = read_script(data, "fuzz", NOW, hosts)
        cut = source.randint(0, len(data))
        kept = read_script((data[:cut], data[cut:]), "fuzz", NOW, hosts, criteria=criteria)
    except ScriptError:
        return
    check_script(script, data)
    assert kept.diagnostics == script.diagnostics
    assert [block_digest(b) for b in kept.blocks] == [block_digest(b) for b in script.blocks]
    plan = make_plan(select_by(kept, criteria), None, now=NOW)
    assert make_plan(select_by(script, criteria), None, now=NOW) == plan
    json.dumps(plan_as_json(plan))
    assert plan_from_dict(json.loads(json.dumps(plan_to_dict(plan)))) == plan
    assert plan_digest(plan)
    assert plan_table(plan).isprintable() or "\n" in plan_table(plan)
    for rules in rules_of_blocks(plan).values():
        for url in URLS:
            for dates in DATES:
                rules.judge(url, dates)
            rules.judge_by_server_date(url, LONG_AGO)
    with suppress(ScriptError):
        block = new_block(data, ["add https://h/"], source="s", now=NOW, check_mask=check_mask)
        longer = read_script(data + block.appended.encode(), "fuzz", NOW)
        assert (longer.blocks[-1].line, longer.blocks[-1].date) == (block.line, block.date)


def check_script(script: IndexScript, data: bytes) -> None:
    """What is true of every script that can be read at all."""
    lines = data.count(b"\n") + data.count(b"\r") + 1
    wrong = set()
    for found in script.diagnostics:
        assert 1 <= found.line <= lines
        assert 1 <= found.column <= len(found.text) + 1
        assert found.code
        assert found.message
        rendered = render_diagnostic(found, "fuzz")
        assert all(line.replace("\t", "").isprintable() for line in rendered.split("\n"))
        if found.severity is Severity.ERROR:
            wrong.add(found.line)
    starts = [block.line for block in script.blocks]
    assert starts == sorted(set(starts))
    for block in script.blocks:
        assert not wrong.intersection(command.line for command in block.commands)
    json.dumps(script_as_json(script))


def try_url(data: bytes, source: random.Random) -> None:
    """A URL, and the same text as a mask of each kind."""
    text = data.decode("utf-8", source.choice(("replace", "surrogateescape")))
    normalized = None
    for base in (None, "https://www.example.com/a/b?c#d"):
        try:
            normalized = normalize(text, base)
        except UrlError:
            continue
        assert normalized.isascii()
        assert normalize(normalized) == normalized
        assert len(document_id(normalized)) == 32
        assert HOSTS.contains(normalized) in (True, False)
        assert host_of(normalized) in normalized
    with suppress(UrlError):
        prefix = normalize_prefix(text)
        assert normalize_prefix(prefix) == prefix
        if normalized is not None and "#" not in text:
            SiteHosts([text])
    try_masks(text, normalized or "https://h/")


def try_masks(text: str, url: str) -> None:
    """A text as a mask of each kind: many at once say the same as each alone."""
    kinds = [kind for kind in MaskKind if check_mask(kind, text) is None]
    masks = [compile_mask(text, kind) for kind in kinds]
    index = MaskIndex(masks)
    for each in (url, *URLS):
        alone = [place for place, mask in enumerate(masks) if mask.matches(each)]
        assert index.matching(each) == alone
        assert index.first(each) == next(iter(alone), None)
        for mask in masks:
            if mask.matches(each):
                assert each.startswith(mask.literal_prefix)
