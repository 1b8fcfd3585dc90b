# The image of every Airflow service: Airflow itself, and what the lock pins beside it.
FROM apache/airflow:3.3.2-python3.11

# The lock holds every package with its hashes, Airflow too: what runs here is what was tested.
COPY --chown=airflow:root requirements.txt /opt/airflow/requirements.txt
RUN pip install --no-cache-dir --require-hashes --requirement /opt/airflow/requirements.txt

COPY --chown=airflow:root include /opt/airflow/include
COPY --chown=airflow:root dags /opt/airflow/dags
COPY --chown=airflow:root plugins /opt/airflow/plugins

ENV PYTHONPATH=/opt/airflow/include

# The shell: `docker compose exec scheduler site-indexer ...`
RUN printf '#!/bin/sh\nexec python -m site_indexer.cli "$@"\n' > /home/airflow/.local/bin/site-indexer \
    && chmod 755 /home/airflow/.local/bin/site-indexer
