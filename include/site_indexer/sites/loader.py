"""Reading site files: YAML in, definitions or errors that name file, line and field out."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from site_indexer.errors import ConfigurationError
from site_indexer.index_script.counting import counted
from site_indexer.sites.definition import SiteDefinition
from site_indexer.sites.repeated_fields import repeated_fields

_Finding = tuple[int, str]
"""The line of a finding, and what it says."""


class SiteFileError(ConfigurationError):
    """A site file that cannot be used; the text lists every finding with its line."""

    code = "site-file"


FieldCheck = Callable[[SiteDefinition], Iterable[tuple[Sequence[int | str], str]]]
"""What only others can check of a definition: gives the places of wrong fields, and why."""


@dataclass(frozen=True, slots=True)
class LoadedSite:
    """One site file: either its definition or what is wrong with it."""

    id: str
    path: Path
    definition: SiteDefinition | None
    error: SiteFileError | None


def site_files(directory: Path) -> list[Path]:
    """The site files of a folder in the order of their names."""
    return sorted(directory.glob("*.yaml"))


def load_site(path: Path, check: FieldCheck | None = None) -> SiteDefinition:
    """Read and validate one site file.

    Raises SiteFileError with every finding, in the order of lines. The product loads its files
    through :mod:`site_indexer.indexing.site_files`, whose ``check`` knows selectors.
    """
    try:
        text = path.read_text(encoding="utf-8")
        root = yaml.compose(text, Loader=yaml.CSafeLoader)
        data = yaml.load(text, Loader=yaml.CSafeLoader)
    except FileNotFoundError as error:
        raise _unknown_site(path) from error
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        # ValueError: bytes that are not UTF-8, and what YAML takes for a date or a number but
        # Python has no value for.
        raise SiteFileError(
            f"{path}: cannot be read as YAML: {error}", site=path.stem, file=str(path)
        ) from error
    if not isinstance(data, dict):
        raise SiteFileError(
            f"{path}: expected a mapping of fields (id, name, owner, script ...)",
            site=path.stem,
            file=str(path),
        )
    findings = [
        (line, f"{field}: stands twice, in line {first} as well")
        for field, line, first in repeated_fields(root)
    ]
    definition = None
    try:
        definition = SiteDefinition.model_validate(data)
    except ValidationError as error:
        findings += [_finding(root, detail) for detail in error.errors()]
    if definition is not None and check is not None:
        findings += [
            (_line(root, location), f"{_name(location)}: {message}")
            for location, message in check(definition)
        ]
    if definition is None or findings:
        raise SiteFileError(_listed(path, findings), site=path.stem, file=str(path))
    if definition.id != path.stem:
        raise SiteFileError(
            f"{path}:{_line(root, ('id',))}: id is {definition.id!r}, but the file is named "
            f"{path.name}",
            hint=f"Call one like the other, say id: {path.stem}.",
            site=path.stem,
            file=str(path),
        )
    return definition


def load_sites(directory: Path, check: FieldCheck | None = None) -> list[LoadedSite]:
    """Every site of a folder, sorted by id; an invalid file costs only its own site."""
    return [load_one(path, check) for path in site_files(directory)]


def load_one(path: Path, check: FieldCheck | None = None) -> LoadedSite:
    """One site file as a definition or as its error."""
    try:
        return LoadedSite(id=path.stem, path=path, definition=load_site(path, check), error=None)
    except SiteFileError as error:
        return LoadedSite(id=path.stem, path=path, definition=None, error=error)


def _unknown_site(path: Path) -> SiteFileError:
    known = [other.stem for other in site_files(path.parent)]
    near = difflib.get_close_matches(path.stem, known, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"Known sites: {', '.join(known) or 'none'}."
    return SiteFileError(
        f"no site {path.stem!r}: {path} does not exist.", hint=hint, site=path.stem
    )


def _listed(path: Path, findings: Sequence[_Finding]) -> str:
    """One finding behind file and line; several below each other, in the order of lines."""
    if len(findings) == 1:
        ((line, text),) = findings
        return f"{path}:{line}: {text}"
    lines = (f"line {line}: {text}" for line, text in sorted(findings, key=itemgetter(0)))
    return "\n".join((f"{path} has {counted(len(findings), 'error')}.", *lines))


def _finding(root: yaml.Node | None, detail: ErrorDetails) -> _Finding:
    location = detail["loc"]
    field = _name(location)
    message = detail["msg"].removeprefix("Value error, ")
    if detail["type"] == "extra_forbidden":
        near = difflib.get_close_matches(str(location[-1]), _fields_at(location[:-1]), n=1)
        message = "unknown field" + (f"; did you mean {near[0]!r}?" if near else "")
    return _line(root, location), f"{field}: {message}"


def _name(location: Sequence[int | str]) -> str:
    return ".".join(map(str, location))


def _fields_at(location: Sequence[int | str]) -> list[str]:
    model: type[BaseModel] = SiteDefinition
    for part in location:
        annotation = model.model_fields[str(part)].annotation if isinstance(part, str) else None
        options = getattr(annotation, "__args__", (annotation,))
        model = next(
            (o for o in options if isinstance(o, type) and issubclass(o, BaseModel)), model
        )
    return list(model.model_fields)


def _line(node: yaml.Node | None, location: Sequence[int | str]) -> int:
    """The line (from 1) of the deepest node on the way to a field that is there."""
    line = 1
    for part in location:
        if isinstance(node, yaml.MappingNode):
            pairs = [(key, value) for key, value in node.value if key.value == part]
            if not pairs:
                return line
            key, node = pairs[0]
            line = key.start_mark.line + 1
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int):
            node = node.value[part]
            line = node.start_mark.line + 1
        else:
            return line
    return line
