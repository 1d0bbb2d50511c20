"""The output formats of findings, and their writers."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

from renderer.model.log_line import log_json, log_markup
from renderer.model.text_enum import TextEnum

if TYPE_CHECKING:
    from renderer.report.report import Report

#: Returns the whole text of a report, a valid document of its format even without findings.
Writer: TypeAlias = "Callable[[Report], str]"


class Format(TextEnum):
    """The formats that ``--format`` accepts.

    ``module`` of this package has the format's ``write``, and is imported on use. ``for_log`` returns an
    equivalent document in which CI systems see no command.
    """

    __slots__ = ("for_log", "module")
    _value_: str

    TEXT = "text", "text", str  # for people; each line is escaped where it is printed
    JSON = "json", "json_document", log_json  # schemas/vmrender/report.json
    GITHUB = "github", "github", str  # annotations of GitHub Actions: commands, whose writer escapes the rest
    SARIF = "sarif", "sarif", log_json  # 2.1.0, for code scanning
    JUNIT = "junit", "junit", log_markup  # test reports of most CI systems
    GITLAB = "gitlab", "gitlab", log_json  # Code Quality reports

    def __init__(self, _text: str, module: str, for_log: Callable[[str], str]) -> None:
        self.module = module
        self.for_log = for_log

    @property
    def write(self) -> Writer:
        """Return the function that writes reports in this format."""
        writer: Writer = import_module(f"renderer.report.{self.module}").write
        return writer
