from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from local_opensearch.configuration import (
    DISK_LIMITS_MB,
    LOCK_NAME,
    QUIET_LOGGERS,
    is_ours,
    log_settings,
    node_settings,
    require_own_home,
    write_home,
)
from local_opensearch.errors import ForeignHomeError
from local_opensearch.installation import Installation


def test_settings_are_what_a_single_local_node_needs() -> None:
    settings = yaml.safe_load(node_settings(19200, 0))
    assert settings["discovery.type"] == "single-node"
    assert settings["network.host"] == "127.0.0.1"
    assert settings["action.auto_create_index"] is False
    assert settings["http.port"] == 19200
    assert settings["transport.port"] == 0


def test_a_nearly_full_disk_is_measured_in_megabytes_left() -> None:
    settings = yaml.safe_load(node_settings(0, 0))
    limits = {
        name.rpartition(".")[2]: value for name, value in settings.items() if ".watermark." in name
    }
    assert limits == {name: f"{value}mb" for name, value in DISK_LIMITS_MB.items()}
    assert DISK_LIMITS_MB["low"] > DISK_LIMITS_MB["high"] > DISK_LIMITS_MB["flood_stage"]


def test_log_settings_name_each_quiet_logger_once() -> None:
    lines = dict(
        line.split(" = ", 1) for line in log_settings().splitlines() if line.startswith("logger.")
    )
    named = {
        value: lines[key.removesuffix("name") + "level"]
        for key, value in lines.items()
        if key.endswith(".name")
    }
    assert named == QUIET_LOGGERS


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    return Installation(tmp_path / "installation")


def test_a_home_has_its_folders_and_links_the_modules(
    tmp_path: Path, installation: Installation
) -> None:
    home = tmp_path / "home"
    write_home(home, installation, 9200, 0)
    found = {entry.name for entry in home.iterdir()}
    assert found == {"config", "data", "logs", "plugins", "tmp", "modules"}
    assert (home / "modules").readlink() == installation.modules
    assert (home / "config" / "jvm.options").read_text() == ""
    assert is_ours(home)


def test_a_second_writing_follows_the_settings_and_forgets_the_old_port(
    tmp_path: Path, installation: Installation
) -> None:
    home = tmp_path / "home"
    write_home(home, installation, 9200, 0)
    (home / "logs" / "http.ports").write_text("127.0.0.1:9200")
    write_home(home, Installation(tmp_path / "other"), 9201, 0)
    settings = yaml.safe_load((home / "config" / "opensearch.yml").read_text())
    assert settings["http.port"] == 9201
    assert (home / "modules").readlink() == tmp_path / "other" / "modules"
    assert not (home / "logs" / "http.ports").exists()


def test_values_are_valid_yaml_for_any_port() -> None:
    for line in node_settings(1, 2).splitlines()[1:]:
        json.loads(line.partition(": ")[2])


def test_a_new_an_empty_and_an_own_home_are_accepted(
    tmp_path: Path, installation: Installation
) -> None:
    require_own_home(tmp_path / "new")
    require_own_home(tmp_path)
    (tmp_path / LOCK_NAME).touch()
    require_own_home(tmp_path)
    write_home(tmp_path, installation, 0, 0)
    require_own_home(tmp_path)


@pytest.mark.parametrize("name", ["data", "config", "letter.txt"])
def test_a_folder_with_other_files_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(ForeignHomeError, match=str(tmp_path)):
        require_own_home(tmp_path)


def test_a_home_of_another_opensearch_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "opensearch.yml").write_text("cluster.name: production\n")
    with pytest.raises(ForeignHomeError):
        require_own_home(tmp_path)
