"""Which OpenSearch the local node is, and how its jars are laid out.

Only the four modules that the product needs are there: HTTP (``transport-netty4``), ``_reindex``
and delete-by-query (``reindex``), scripts (``lang-painless``) and the language analyzers
(``analysis-common``). Jars of a module must not also be on the class path: OpenSearch refuses
duplicate classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatch

VERSION = "3.9.0"
"""Version of OpenSearch and of each of its modules."""

ROOTS = (
    f"org.opensearch:opensearch:{VERSION}",
    # A class of it is loaded at start even where the agent itself is not used.
    f"org.opensearch:opensearch-agent-bootstrap:{VERSION}",
    f"org.opensearch:opensearch-plugin-classloader:{VERSION}",
    f"org.opensearch.plugin:transport-netty4-client:{VERSION}",
    f"org.opensearch.plugin:reindex-client:{VERSION}",
    f"org.opensearch.plugin:lang-painless:{VERSION}",
    f"org.opensearch.plugin:analysis-common:{VERSION}",
    "org.apache.logging.log4j:log4j-core:2.25.5",
    # The Java runtime has no Thai word breaks; without them no index can be created at all.
    "com.ibm.icu:icu4j-localespi:77.1",
)
"""Maven coordinates (group:artifact:version) that all others follow from."""

CLASS_PATH_FOLDER = "lib"


@dataclass(frozen=True, slots=True)
class Module:
    """One OpenSearch module: its folder under ``modules/``, plugin class and own jars."""

    name: str
    class_name: str
    artifacts: tuple[str, ...]
    """Shell patterns of the artifact ids that belong to it."""
    extends: str = ""
    """Name of the module whose classes it sees."""

    @property
    def folder(self) -> str:
        """Folder relative to the root of the installation."""
        return f"modules/{self.name}"

    def descriptor(self) -> str:
        """Text of its ``plugin-descriptor.properties``."""
        return "\n".join(
            (
                f"name={self.name}",
                f"description={self.name}",
                f"version={VERSION}",
                f"opensearch.version={VERSION}",
                "java.version=21",
                f"classname={self.class_name}",
                f"extended.plugins={self.extends}",
                "has.native.controller=false",
                "",
            )
        )


MODULES = (
    Module(
        "transport-netty4",
        "org.opensearch.transport.Netty4ModulePlugin",
        ("transport-netty4-client", "netty-*", "opensearch-netty4"),
    ),
    Module(
        "reindex",
        "org.opensearch.index.reindex.ReindexModulePlugin",
        (
            "reindex-client",
            "opensearch-rest-client",
            "opensearch-ssl-config",
            "httpclient5",
            "httpcore5*",
            "commons-codec",
            "commons-logging",
            "slf4j-api",
        ),
    ),
    Module(
        "lang-painless",
        "org.opensearch.painless.PainlessModulePlugin",
        ("lang-painless", "opensearch-scripting-painless-spi", "antlr4-runtime", "asm*"),
    ),
    Module(
        "analysis-common",
        "org.opensearch.analysis.common.CommonAnalysisModulePlugin",
        ("analysis-common",),
        extends="lang-painless",
    ),
)


def folder_of(artifact: str) -> str:
    """Folder, relative to the installation, in which the jar of this artifact id belongs."""
    for module in MODULES:
        if any(fnmatch(artifact, pattern) for pattern in module.artifacts):
            return module.folder
    return CLASS_PATH_FOLDER
