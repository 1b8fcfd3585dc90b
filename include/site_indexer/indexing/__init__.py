"""The use cases: reading, planning, removing, crawling, reviewing, publishing, tidying.

Airflow's tasks and the shell call the same functions; neither holds rules of its own.
"""
