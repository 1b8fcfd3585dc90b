"""OpenSearch, the demo site and Airflow on one machine, for ``make demo`` and end-to-end tests."""
