"""The Airflow side: Dag factories, the steps of a run, trigger forms, the watermark Variable.

The only package that imports Airflow. It holds no rules of its own: each task calls one use case
of ``site_indexer.indexing``.
"""
