from __future__ import annotations

import pytest

from local_opensearch.pins import MODULES, folder_of


@pytest.mark.parametrize(
    ("artifact", "folder"),
    [
        ("opensearch", "lib"),
        ("lucene-core", "lib"),
        ("icu4j-localespi", "lib"),
        ("transport-netty4-client", "modules/transport-netty4"),
        ("netty-common", "modules/transport-netty4"),
        ("httpcore5-h2", "modules/reindex"),
        ("asm-commons", "modules/lang-painless"),
        ("analysis-common", "modules/analysis-common"),
        ("lucene-analysis-common", "lib"),
    ],
)
def test_each_jar_has_its_folder(artifact: str, folder: str) -> None:
    assert folder_of(artifact) == folder


def test_no_artifact_pattern_belongs_to_two_modules() -> None:
    patterns = [pattern for module in MODULES for pattern in module.artifacts]
    assert len(patterns) == len(set(patterns))


def test_a_descriptor_has_what_opensearch_requires() -> None:
    lines = dict(
        line.split("=", 1) for line in MODULES[-1].descriptor().splitlines() if line.strip()
    )
    assert lines == {
        "name": "analysis-common",
        "description": "analysis-common",
        "version": "3.9.0",
        "opensearch.version": "3.9.0",
        "java.version": "21",
        "classname": "org.opensearch.analysis.common.CommonAnalysisModulePlugin",
        "extended.plugins": "lang-painless",
        "has.native.controller": "false",
    }
