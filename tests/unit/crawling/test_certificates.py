"""Which certificate authorities are trusted (docs/spec/04-crawling.md, 4.1)."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest
import requests.utils

from site_indexer.crawling import certificates
from site_indexer.crawling.certificates import ca_bundle


@pytest.fixture
def no_place_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A Python that, as Debian's, knows no file of authorities."""
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "absent"))


def test_the_file_that_the_environment_names_comes_first(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bundle = tmp_path / "bundle.pem"
    bundle.touch()
    monkeypatch.setenv("SSL_CERT_FILE", str(bundle))
    assert ca_bundle() == str(bundle)


@pytest.mark.usefixtures("no_place_known")
def test_the_systems_own_file_comes_before_certifis(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert ssl.get_default_verify_paths().cafile is None
    bundle = tmp_path / "system.pem"
    bundle.touch()
    monkeypatch.setattr(certificates, "SYSTEM_BUNDLES", (str(tmp_path / "no"), str(bundle)))
    assert ca_bundle() == str(bundle)


@pytest.mark.usefixtures("no_place_known")
def test_without_any_it_is_certifis(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certificates, "SYSTEM_BUNDLES", ())
    assert ca_bundle() == requests.utils.DEFAULT_CA_BUNDLE_PATH
