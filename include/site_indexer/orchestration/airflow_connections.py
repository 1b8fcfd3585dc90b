"""A site's connection, kept by Airflow (docs/spec/07-site-definition.md, 7.5)."""

from __future__ import annotations

from airflow.sdk import Connection
from airflow.sdk.exceptions import AirflowNotFoundException, AirflowRuntimeError
from airflow.sdk.log import mask_secret

from site_indexer.errors import ConfigurationError, TransientError
from site_indexer.indexing.site_access import SiteAccess, access_of


class ConnectionUnreadableError(TransientError):
    """Airflow did not answer what a connection holds."""

    code = "connection-unreadable"
    exit_status = 3


class AirflowConnections:
    """The Connections port on Airflow's own; works inside tasks only."""

    def get(self, name: str) -> SiteAccess:
        """What the connection holds; its secrets are masked in the log of this task from then on.

        Raises ConfigurationError where there is none or it is unusable, ConnectionUnreadableError
        where Airflow gives no answer.
        """
        try:
            connection = Connection.get(name)
        except AirflowNotFoundException:
            raise ConfigurationError(
                f"The Airflow connection {name!r} of crawl.connection is not there.",
                hint="Create it under Admin > Connections, or correct the site file.",
            ) from None
        except AirflowRuntimeError as error:
            raise ConnectionUnreadableError(
                f"Airflow gave no answer about the connection {name!r}."
            ) from error
        access = access_of(
            name,
            login=connection.login,
            password=connection.password,
            extra=connection.extra,
        )
        for secret in access.secrets:
            mask_secret(secret)
        return access
