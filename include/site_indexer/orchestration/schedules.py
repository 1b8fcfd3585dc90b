"""A site's schedule as Airflow fires it."""

from __future__ import annotations

from airflow.sdk import CronTriggerTimetable, MultipleCronTriggerTimetable

from site_indexer.sites.definition import SiteDefinition


def timetable(definition: SiteDefinition) -> object | None:
    """The timetable of a site, None where it runs by hand only.

    It fires at the tick, and the run's logical date is the tick: windows are counted by
    ``site_indexer.sites.ticks``, not by Airflow's intervals.
    """
    if definition.schedule is None:
        return None
    crons = definition.schedule.grid.crons()
    if len(crons) == 1:
        return CronTriggerTimetable(crons[0], timezone=definition.timezone)
    return MultipleCronTriggerTimetable(*crons, timezone=definition.timezone)


def schedule_in_words(definition: SiteDefinition) -> str:
    """When a site's script runs, as a person says it."""
    if definition.schedule is None:
        return "by hand only"
    words = definition.schedule.grid.in_words(definition.timezone)
    maintenance = definition.schedule.maintenance
    return f"{words}; not in {', '.join(maintenance)}" if maintenance else words
