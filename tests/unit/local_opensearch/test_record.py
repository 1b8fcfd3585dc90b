from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from local_opensearch.record import NAME, NodeRecord, read_record, remove_record, write_record

RECORD = NodeRecord(pid=7, http_port=0, heap_mb=512, attached=False, version="3.9.0")


def test_a_record_reads_back_and_is_replaced_whole(tmp_path: Path) -> None:
    write_record(tmp_path, RECORD)
    assert read_record(tmp_path) == RECORD
    changed = replace(RECORD, http_port=9200)
    write_record(tmp_path, changed)
    assert read_record(tmp_path) == changed
    assert [entry.name for entry in tmp_path.iterdir()] == [NAME]


def test_removing_is_not_an_error_when_there_is_none(tmp_path: Path) -> None:
    write_record(tmp_path, RECORD)
    remove_record(tmp_path)
    remove_record(tmp_path)
    assert read_record(tmp_path) is None


@pytest.mark.parametrize("text", ["", "17", "{}", "[1]", '{"pid": 1, "other": 2}', "\x00"])
def test_what_is_no_record_counts_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / NAME).write_text(text)
    assert read_record(tmp_path) is None
