"""The action commands: one table of what each takes (docs/spec/01-script-language.md, 1.4)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from site_indexer.index_script.model import Action
from site_indexer.index_script.vocabulary import NOFOLLOW, NOINDEX, SERVER_DATE


class Target(Enum):
    """What a command acts on."""

    URL = auto()
    URLS = auto()
    MASK = auto()


class CutOff(Enum):
    """What a date rule has before its mask."""

    DAYS = auto()
    DATE = auto()


@dataclass(frozen=True, slots=True)
class Grammar:
    """The form of one command."""

    action: Action
    target: Target
    keywords: tuple[str, ...] = ()
    cut_off: CutOff | None = None

    @property
    def usage(self) -> str:
        """The command as the documentation writes it, as ``add URL [nofollow] [noindex]``."""
        words = [self.action.value]
        if self.cut_off is not None:
            words.append("N" if self.cut_off is CutOff.DAYS else "YYYY-MM-DD")
        words.append("URL [URL ...]" if self.target is Target.URLS else self.target.name)
        words.extend(f"[{keyword}]" for keyword in self.keywords)
        return " ".join(words)


_FLAGS = (NOFOLLOW, NOINDEX)

GRAMMARS = {
    grammar.action.value: grammar
    for grammar in (
        Grammar(Action.ADD, Target.URL, _FLAGS),
        Grammar(Action.UPDATE, Target.MASK, _FLAGS),
        Grammar(Action.INCLUDE, Target.MASK, _FLAGS),
        Grammar(Action.EXCLUDE, Target.MASK),
        Grammar(Action.INCLUDE_DAYS, Target.MASK, (*_FLAGS, SERVER_DATE), CutOff.DAYS),
        Grammar(Action.INCLUDE_DATE, Target.MASK, (*_FLAGS, SERVER_DATE), CutOff.DATE),
        Grammar(Action.EXCLUDE_DAYS, Target.MASK, (SERVER_DATE,), CutOff.DAYS),
        Grammar(Action.EXCLUDE_DATE, Target.MASK, (SERVER_DATE,), CutOff.DATE),
        Grammar(Action.DELETE, Target.URLS),
        Grammar(Action.DELETEMASK, Target.MASK),
    )
}
