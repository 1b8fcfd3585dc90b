"""docs/spec/01-script-language.md, 1.6: bounds."""

from __future__ import annotations

import pytest

from site_indexer.errors import TooManyErrorsError
from site_indexer.index_script.codes import Code
from site_indexer.index_script.diagnostic_log import DiagnosticLog
from site_indexer.index_script.findings import Finding
from site_indexer.index_script.model import Severity

ERROR = Finding(1, Code.BAD_URL, "It is no URL.")
WARNING = Finding(0, Code.KEYWORD_TWICE, "Twice.", severity=Severity.WARNING)


def test_one_error_too_many_refuses_the_file_and_names_the_first() -> None:
    log = DiagnosticLog("s", most_errors=2)
    log.report(1, "add h", [WARNING, ERROR])
    log.report(2, "add h", [ERROR])
    assert len(log.in_line_order()) == 3
    with pytest.raises(TooManyErrorsError, match=r"s has more than 2 errors.*line 1: It is no URL"):
        log.report(3, "add h", [ERROR])


def test_warnings_over_the_limit_are_counted_in_one() -> None:
    log = DiagnosticLog("s", most_warnings=2)
    for line in range(1, 6):
        log.report(line, "add h", [WARNING, ERROR])
    found = [(d.line, d.code) for d in log.in_line_order()]
    assert found == [
        *[(1, "keyword-twice"), (1, "bad-url"), (2, "keyword-twice"), (2, "bad-url")],
        *[(3, "bad-url"), (4, "bad-url"), (5, "bad-url"), (5, "more-warnings")],
    ]
    assert "3 more warnings" in log.in_line_order()[-1].message


def test_findings_of_a_line_stand_in_the_order_of_columns() -> None:
    log = DiagnosticLog("s")
    log.report(1, "  add  h", [ERROR, WARNING])
    assert [(d.column, d.code) for d in log.in_line_order()] == [
        (3, "keyword-twice"),
        (8, "bad-url"),
    ]
