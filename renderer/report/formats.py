"""The formats that findings can be printed in, and the table of their writers."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

from renderer.model.text_enum import TextEnum

if TYPE_CHECKING:
    from renderer.report.report import Report

#: Makes the whole text of a report, a valid document of its format also when there is nothing to say.
Writer: TypeAlias = "Callable[[Report], str]"


class Format(TextEnum):
    """The formats that ``--format`` takes."""

    TEXT = "text"  # for people
    JSON = "json"  # schemas/vmrender/report.json
    GITHUB = "github"  # annotations of GitHub Actions
    SARIF = "sarif"  # 2.1.0, for code scanning
    JUNIT = "junit"  # test reports of most CI systems
    GITLAB = "gitlab"  # Code Quality reports


#: The modules that write them; each is imported when it is asked for.
_WRITERS = {
    Format.TEXT: "renderer.report.text",
    Format.JSON: "renderer.report.json_document",
    Format.GITHUB: "renderer.report.github",
    Format.SARIF: "renderer.report.sarif",
    Format.JUNIT: "renderer.report.junit",
    Format.GITLAB: "renderer.report.gitlab",
}


def writer_of(report_format: Format) -> Writer:
    """Return the function that writes reports in a format."""
    write: Writer = import_module(_WRITERS[report_format]).write
    return write
