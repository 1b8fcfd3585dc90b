"""What is known of a page before its bytes are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from site_indexer.crawling import directives
from site_indexer.crawling.directives import Directives
from site_indexer.crawling.responses import Response
from site_indexer.values import value_object

_TELLING = ("link", "refresh", "x-robots-tag", "content-language")


@value_object
class PageSource:
    """Where a page comes from. ``url`` is normalized; ``content_type`` has no parameters.

    ``headers`` are those that may state what elements of a page can state too, by lower-case
    name. ``charset`` and ``charset_source`` are empty for types without one.
    """

    url: str
    content_type: str
    headers: Mapping[str, Sequence[str]]
    charset: str = ""
    charset_source: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def directives(self) -> Directives:
        """The robots directives of the headers."""
        return directives.of_headers(self.headers["x-robots-tag"])


def telling_headers(response: Response) -> dict[str, Sequence[str]]:
    """The ``headers`` of a page source."""
    return {name: response.header_values(name) for name in _TELLING}
