"""The Compose deployment: valid, complete, closed, and every setting it names exists.

There is no Docker engine in the tests, so what can be checked without one is checked here.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
COMPOSE = ROOT / "docker-compose.yaml"
BIN = Path(sys.executable).parent


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(COMPOSE.read_text())
    return loaded


def environment_of(service: dict[str, Any]) -> dict[str, str]:
    return service.get("environment") or {}


@pytest.fixture(scope="module")
def airflow_options(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """``AIRFLOW__SECTION__KEY`` of every option that this Airflow knows."""
    program = (
        "import json\n"
        "from airflow.configuration import conf\n"
        "known = conf.configuration_description\n"
        "print('::' + json.dumps({s: list(d['options']) for s, d in known.items()}))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program],
        env={"AIRFLOW_HOME": str(tmp_path_factory.mktemp("airflow")), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    known = json.loads(result.stdout.rsplit("::", 1)[1])
    return {
        f"AIRFLOW__{section.upper()}__{option.upper()}"
        for section, options in known.items()
        for option in options
    }


def test_the_file_fits_the_compose_schema() -> None:
    result = subprocess.run(
        [BIN / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", COMPOSE],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_every_airflow_setting_exists(compose: dict[str, Any], airflow_options: set[str]) -> None:
    named = {
        name
        for service in compose["services"].values()
        for name in environment_of(service)
        if name.startswith("AIRFLOW__")
    }
    assert len(named) > 10
    assert named - airflow_options == set()


def test_every_setting_of_the_product_is_read_by_it(compose: dict[str, Any]) -> None:
    code = "".join(path.read_text() for path in (ROOT / "include/site_indexer").rglob("*.py"))
    named = {
        name
        for service in compose["services"].values()
        for name in environment_of(service)
        if name.startswith("SITE_INDEXER_")
    }
    assert named
    assert {name for name in named if name not in code} == set()


def test_every_path_of_this_project_exists(compose: dict[str, Any]) -> None:
    sources = [
        volume.split(":")[0]
        for service in compose["services"].values()
        for volume in service.get("volumes", ())
        if volume.startswith("./")
    ]
    copied = re.findall(r"^COPY (?:--\S+ )*(\S+) ", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    assert sources
    assert copied
    assert [path for path in (*sources, *copied) if not (ROOT / path).exists()] == []
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert [path for path in copied if f"!{path}" not in ignored] == []


def test_paths_inside_the_containers_are_those_of_the_image(compose: dict[str, Any]) -> None:
    dockerfile = (ROOT / "Dockerfile").read_text()
    inside = set(re.findall(r"^COPY .* (/\S+)$", dockerfile, re.MULTILINE))
    environment = environment_of(compose["services"]["scheduler"])
    for name in ("AIRFLOW__CORE__DAGS_FOLDER", "AIRFLOW__CORE__PLUGINS_FOLDER", "PYTHONPATH"):
        assert environment[name] in inside, name
    assert Path(environment["SITE_INDEXER_SITES"]).relative_to("/opt/airflow/include") == Path(
        "sites"
    )


def variables(text: str) -> Iterator[tuple[str, str]]:
    yield from re.findall(r"(?<!\$)\$\{([A-Z_]+)([^}]*)\}", text)


def test_secrets_come_from_the_env_file_and_have_no_default() -> None:
    template = (ROOT / ".env.example").read_text()
    found = list(variables(COMPOSE.read_text()))
    assert found
    for name, rule in found:
        assert rule.startswith(":?"), f"{name} must be required, not defaulted"
        assert re.search(rf"^{name}=$", template, re.MULTILINE), f"{name} is not in .env.example"
    declared = set(re.findall(r"^([A-Z_]+)=", template, re.MULTILINE))
    assert declared == {name for name, _ in found}


def test_ports_are_published_on_this_machine_only(compose: dict[str, Any]) -> None:
    ports = [port for s in compose["services"].values() for port in s.get("ports", ())]
    assert ports
    assert all(str(port).startswith("127.0.0.1:") for port in ports)
    assert "ports" not in compose["services"]["opensearch"]


def test_services_that_stay_have_health_checks_and_restart(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        if name != "init":
            assert "healthcheck" in service, name
            assert service["restart"] == "unless-stopped", name


def test_opensearch_is_reached_by_the_scheduler_alone(compose: dict[str, Any]) -> None:
    assert compose["networks"]["search"]["internal"] is True
    reach = [n for n, s in compose["services"].items() if "search" in (s.get("networks") or ())]
    assert sorted(reach) == ["opensearch", "scheduler"]


def test_the_image_has_the_locked_airflow() -> None:
    locked = re.search(r"^apache-airflow==([\d.]+)", (ROOT / "requirements.txt").read_text(), re.M)
    dockerfile = re.search(
        r"^FROM apache/airflow:([\d.]+)-python", (ROOT / "Dockerfile").read_text(), re.M
    )
    assert dockerfile is not None
    assert locked is not None
    assert dockerfile[1] == locked[1]
