"""A notifier that keeps what it is given, for tests."""

from __future__ import annotations

from airflow.sdk import BaseNotifier, Context


class KeepingNotifier(BaseNotifier):
    template_fields = ("to", "subject", "text")
    kept: list[dict[str, str]] = []  # noqa: RUF012 - one list for the process

    def __init__(self, to: str, subject: str, text: str = "") -> None:
        super().__init__()
        self.to = to
        self.subject = subject
        self.text = text

    def notify(self, context: Context) -> None:
        self.kept.append({"to": self.to, "subject": self.subject, "text": self.text})


class FailingNotifier(BaseNotifier):
    def notify(self, context: Context) -> None:
        raise OSError("no mail today")
