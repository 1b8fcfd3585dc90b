"""The codes of diagnostics: stable words, each with an example in docs/reference/diagnostics.md."""

from __future__ import annotations

from enum import StrEnum


class Code(StrEnum):
    """What can be found in a script. A code never changes its meaning and is never reused."""

    NOT_UTF8 = "not-utf-8"
    UNKNOWN_COMMAND = "unknown-command"
    UNKNOWN_KEYWORD = "unknown-keyword"
    KEYWORD_NOT_TAKEN = "keyword-not-taken"
    KEYWORD_TWICE = "keyword-twice"
    COMMA_AFTER_WORD = "comma-after-word"
    COMMA_AFTER_URL = "comma-after-url"
    COMMENT_AT_LINE_END = "comment-at-line-end"
    EXTRA_FIELD = "extra-field"
    LINE_NOT_CHECKED = "line-not-checked"
    MORE_WARNINGS = "more-warnings"

    NO_DATE_LINE = "no-date-line"
    MISSING_BLANK_LINE = "missing-blank-line"
    BLOCK_OUT_OF_ORDER = "block-out-of-order"
    SECONDS_NOT_INCREASING = "seconds-not-increasing"
    BLOCK_AHEAD_OF_CLOCK = "block-ahead-of-clock"

    MISSING_DATE = "missing-date"
    BAD_DATE = "bad-date"
    BAD_WEEKDAY = "bad-weekday"
    WRONG_WEEKDAY = "wrong-weekday"
    BAD_DAY = "bad-day"
    BAD_MONTH = "bad-month"
    BAD_YEAR = "bad-year"
    BAD_TIME = "bad-time"
    LEAP_SECOND = "leap-second"
    MISSING_ZONE = "missing-zone"
    UNKNOWN_ZONE = "unknown-zone"
    ZONE_AFTER_ASCTIME = "zone-after-asctime"
    NO_SUCH_DATE = "no-such-date"
    BAD_SECONDS = "bad-seconds"

    MISSING_URL = "missing-url"
    BAD_URL = "bad-url"
    MASK_IN_ADD = "mask-in-add"
    MASK_IN_DELETE = "mask-in-delete"
    MISSING_MASK = "missing-mask"
    BAD_PREFIX_MASK = "bad-prefix-mask"
    BAD_WILDCARD_MASK = "bad-wildcard-mask"
    BAD_REGEXP_MASK = "bad-regexp-mask"
    FRAGMENT_IN_MASK = "fragment-in-mask"
    MISSING_DAYS = "missing-days"
    BAD_DAYS = "bad-days"
    MISSING_RULE_DATE = "missing-rule-date"
    BAD_RULE_DATE = "bad-rule-date"
    FOREIGN_HOST = "foreign-host"
