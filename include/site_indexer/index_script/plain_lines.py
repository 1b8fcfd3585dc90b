"""Action lines that one expression proves to be right, which are most of a long script.

They are spelled as the documentation does, and their URLs are such that neither the URL nor a
prefix mask of that text can be wrong. Whatever else is read field by field; the tests hold both
ways against each other.
"""

from __future__ import annotations

import re

from site_indexer.index_script.model import Action, Command
from site_indexer.index_script.vocabulary import NOFOLLOW, NOINDEX
from site_indexer.urls import MaskKind

# A host that is its own normalized form (no address by number, nothing international) and a port
# of no scheme's default; a path and query without a star, a fragment, a comma, or what looks like
# a regular expression.
_ORIGIN = (
    r"https?://(?:(?!xn--)[a-z0-9-]++\.)*+(?!xn--)[a-z][a-z0-9-]*+"
    r"(?::(?!(?:80|443)/)[1-9][0-9]{1,3}+)?/"
)
_TAIL = r"[A-Za-z0-9._~/?=&%:@!$'();+-]*+(?<!\$)"

match_plain_line = re.compile(
    r"(?:(?P<flagged>add|(?P<masking>update|include))|delete) "
    rf"(?P<url>(?P<origin>{_ORIGIN}){_TAIL})"
    rf"(?P<flags>(?(flagged)(?: {NOFOLLOW})?+(?: {NOINDEX})?+))"
).fullmatch
"""Matches an action line, without white space around it, that is right, in its one spelling.

Its group ``origin`` is the start of a normalized URL, whose host has to be checked still. Where the
command takes a mask there is a group ``masking``, and the prefix mask is ``url``.
"""


def command_of(plain: re.Match[str], number: int) -> Command:
    """Return the command of a line that :func:`match_plain_line` matched."""
    action = Action(plain[0][: plain[0].index(" ")])
    flags = plain["flags"]
    url = plain["url"]
    if action in (Action.ADD, Action.DELETE):
        return Command(number, action, (url,), nofollow=NOFOLLOW in flags, noindex=NOINDEX in flags)
    return Command(
        number,
        action,
        mask=url,
        mask_kind=MaskKind.PREFIX,
        nofollow=NOFOLLOW in flags,
        noindex=NOINDEX in flags,
    )
