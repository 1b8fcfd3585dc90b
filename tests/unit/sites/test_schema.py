"""docs/spec/07-site-definition.md: the JSON schema of a site file, for editors."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from site_indexer.sites.definition import SiteDefinition
from site_indexer.sites.schema import site_schema

ROOT = Path(__file__).parents[3]
PUBLISHED = ROOT / "docs" / "reference" / "site.schema.json"
DEMO = ROOT / "include" / "sites" / "demo.yaml"
CHECK = Path(sys.executable).with_name("check-jsonschema")

MINIMAL = """\
id: docs
name: Documentation
owner: team@example.com
script: {url: https://docs.example.com/indexlist.txt}
"""


def checked(*paths: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [CHECK, "--schemafile", PUBLISHED, *paths], capture_output=True, text=True, check=False
    )


def test_what_is_published_is_the_schema_of_today() -> None:
    """To renew it: site-indexer sites schema > docs/reference/site.schema.json."""
    assert json.loads(PUBLISHED.read_text()) == site_schema()


def test_the_demo_site_and_the_guides_sites_are_valid(tmp_path: Path) -> None:
    minimal = tmp_path / "docs.yaml"
    minimal.write_text(MINIMAL)
    guide = tmp_path / "guide.yaml"
    text = (ROOT / "docs" / "guides" / "first-site.md").read_text()
    guide.write_text(text.split("```yaml\n")[1].split("```")[0])
    done = checked(DEMO, minimal, guide)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("name:", "nmae: x\nname:", "nmae"),
        ("script: {", "script: {on_eror: stop, ", "on_eror"),
        ("owner: team@example.com\n", "", "owner"),
        ("id: docs", "id: Docs", "does not match"),
        ("name:", "schedule: {every: quick}\nname:", "does not match"),
        ("name:", "schedule: {every: 6h, base_time: '25:00'}\nname:", "does not match"),
        ("name:", "crawl: {robots: obay}\nname:", "is not one of"),
        ("name:", "crawl: {delay: 5}\nname:", "is not of type 'string'"),
        ("name:", "brake: {max_removed: 0.2}\nname:", "is not of type 'string'"),
        ("name:", "index: {replicas: 11}\nname:", "is greater than"),
    ],
)
def test_an_editor_sees_what_is_wrong(tmp_path: Path, old: str, new: str, says: str) -> None:
    path = tmp_path / "docs.yaml"
    path.write_text(MINIMAL.replace(old, new, 1))
    done = checked(path)
    assert done.returncode == 1
    assert says in done.stdout


def test_every_default_is_written_as_a_site_file_may_have_it(tmp_path: Path) -> None:
    site = TypeAdapter(SiteDefinition).validate_python(
        {"id": "docs", "name": "D", "owner": "o", "script": {"url": "https://h/indexlist.txt"}}
    )
    filled = {k: v for k, v in site.model_dump(mode="json").items() if v is not None}
    filled["crawl"].pop("connection")
    path = tmp_path / "docs.json"
    path.write_text(json.dumps(filled))
    assert checked(path).returncode == 0, checked(path).stdout
    assert SiteDefinition.model_validate(filled) == site
    assert filled["crawl"]["delay"] == "200ms"
    assert filled["brake"]["max_removed"] == "20%"
    sections = site_schema()["$defs"]
    assert sections["CrawlSection"]["properties"]["timeout"]["default"] == "30s"
    assert sections["BrakeSection"]["properties"]["max_commanded"]["default"] == "50%"
