"""The one error tree.

Every error that a user can meet derives from :class:`SiteIndexerError`. Its text names the site,
the file or URL, the line, what was expected; its ``hint`` says what to do. ``transient`` tells
callers (Airflow tasks, the shell) whether trying again later can help; ``exit_status`` is the
shell's (docs/spec/08-shell.md, *Exit status*).
"""

from __future__ import annotations

from typing import Any, ClassVar


class SiteIndexerError(Exception):
    """Base of all errors of this product.

    ``context`` holds what a program may want to know (site, url, line ...), as text.
    """

    code: ClassVar[str] = "error"
    exit_status: ClassVar[int] = 1
    transient: ClassVar[bool] = False

    def __init__(self, message: str, *, hint: str = "", **context: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.context = context

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()

    def as_json(self) -> dict[str, Any]:
        """The error document of the shell's JSON form: code, message, hint and the context."""
        return {**self.context, "code": self.code, "message": self.message, "hint": self.hint}


class PermanentError(SiteIndexerError):
    """Trying again without a change by a person gives the same."""


class TransientError(SiteIndexerError):
    """Trying again later may well succeed."""

    transient = True


class UsageError(PermanentError):
    """A command or a trigger form was used wrongly."""

    code = "usage"
    exit_status = 2


class ConfigurationError(PermanentError):
    """A site definition, a setting or a Variable does not have the form expected."""

    code = "configuration"
    exit_status = 2


class UrlError(PermanentError):
    """A text that is no http(s) URL, or one that does not belong here."""

    code = "url"
    exit_status = 2


class ScriptError(PermanentError):
    """An index script that cannot be processed as it stands."""

    code = "script"


class EmptyScriptError(ScriptError):
    """An index script without a byte, or of white space only."""

    code = "empty-script"


class HtmlInsteadOfScriptError(ScriptError):
    """A web page came where an index script was expected."""

    code = "html-instead-of-script"


class ScriptTooLargeError(ScriptError):
    """An index script over the size limit."""

    code = "script-too-large"


class TooManyErrorsError(ScriptError):
    """A file with so many errors that it cannot have been meant as an index script."""

    code = "too-many-errors"


class ScriptUnreachableError(TransientError):
    """The index script could not be fetched."""

    code = "script-unreachable"
    exit_status = 3


class StoreUnreachableError(TransientError):
    """OpenSearch does not answer, or answers that it cannot work now."""

    code = "opensearch-unreachable"
    exit_status = 3


class StoreRefusedError(PermanentError):
    """OpenSearch understood and refused: a block, a missing index, a version that is too old."""

    code = "opensearch-refused"


class PublishConflictError(TransientError):
    """Other runs published again and again while this one tried to."""

    code = "publish-conflict"


class RunFailedError(PermanentError):
    """A run that must not publish: failure share, missing task records, counts that disagree."""

    code = "run-failed"


class LostIndexError(PermanentError):
    """A watermark is there, but the index that it belongs to is not (any more)."""

    code = "lost-index"


class RemovalsNotApprovedError(PermanentError):
    """So much would go from an index that a person has to agree to it, and nobody has."""

    code = "removals-not-approved"


class CrawlTurnTakenError(TransientError):
    """Another run crawls this site now; crawls of one site take turns."""

    code = "crawl-turn-taken"
