"""A real OpenSearch on this machine, without Docker, root or an installed Java.

For development, tests, benchmarks and demonstrations; not for production. Reasons and limits:
docs/adr/0003-local-opensearch.md.
"""

from local_opensearch.node import Node, NodeStatus

__all__ = ["Node", "NodeStatus"]
