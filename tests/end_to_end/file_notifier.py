"""A notifier that writes a line for each alert, for Airflow's own processes."""

from __future__ import annotations

import json
from pathlib import Path

from airflow.sdk import BaseNotifier, Context


class FileNotifier(BaseNotifier):
    template_fields = ("subject", "text")

    def __init__(self, path: str, subject: str, text: str) -> None:
        super().__init__()
        self.path = path
        self.subject = subject
        self.text = text

    def notify(self, context: Context) -> None:
        with Path(self.path).open("a", encoding="utf-8") as file:
            file.write(json.dumps({"subject": self.subject, "text": self.text}) + "\n")
