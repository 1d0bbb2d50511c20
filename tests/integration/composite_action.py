"""Runs the ``run`` steps of a composite action as GitHub does; ``uses`` steps are listed, not run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.integration.user_repository import BASH, UserRepository

_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}", re.DOTALL)
_TOKEN = re.compile(r"'(?P<text>[^']*)'|(?P<operator>==|!=|&&|\|\||[()])|(?P<name>[\w.-]+)|\s+")
_OPERATORS = {"&&": " and ", "||": " or "}


@dataclass
class ActionRun:
    """The result of a run of an action. ``used`` are the other actions that it would have run."""

    code: int = 0
    log: str = ""
    summary: str = ""
    outputs: dict[str, str] = field(default_factory=dict)
    used: list[str] = field(default_factory=list)


@dataclass
class CompositeAction:
    """``folder`` has the ``action.yml``; ``outputs`` are the outputs of skipped steps, by step."""

    folder: Path
    outputs: Mapping[str, Mapping[str, str]]

    def run(
        self, repository: UserRepository, scratch: Path, github: Mapping[str, str], **inputs: str
    ) -> ActionRun:
        action = yaml.safe_load((self.folder / "action.yml").read_text(encoding="utf-8"))
        unknown = inputs.keys() - {name.replace("-", "_") for name in action["inputs"]}
        assert not unknown, f"no such input: {unknown}"
        values = {f"github.{name}": value for name, value in github.items()}
        for name, described in action["inputs"].items():
            given = inputs.get(name.replace("-", "_"), described["default"])
            values[f"inputs.{name}"] = substituted(given, values)
        for step, outputs in self.outputs.items():
            values |= {f"steps.{step}.outputs.{name}": value for name, value in outputs.items()}
        run = ActionRun()
        for step in action["runs"]["steps"]:
            if run.code == 0 and is_true(step.get("if", "'yes'"), values):
                self._step(step, repository, scratch, values, run)
        run.outputs = {
            name: substituted(described["value"], values) for name, described in action["outputs"].items()
        }
        return run

    def _step(
        self,
        step: Mapping[str, Any],
        repository: UserRepository,
        scratch: Path,
        values: dict[str, str],
        run: ActionRun,
    ) -> None:
        if "uses" in step:
            run.used.append(step["uses"].partition("@")[0])
            return
        if step.get("id") in self.outputs:
            return
        output, summary = scratch / "output", scratch / "summary"
        output.write_text("")
        summary.write_text(run.summary)
        script = scratch / "script.sh"
        script.write_text(step["run"])
        assert not _EXPRESSION.search(step["run"]), "values reach a script through its environment only"
        ended = repository.run(
            *BASH,
            str(script),
            **{name: substituted(text, values) for name, text in step.get("env", {}).items()},
            GITHUB_ACTION_PATH=str(self.folder),
            GITHUB_OUTPUT=str(output),
            GITHUB_STEP_SUMMARY=str(summary),
            GITHUB_REPOSITORY=values["github.repository"],
            RUNNER_TEMP=str(scratch),
        )
        run.code, run.log, run.summary = ended.code, run.log + ended.output, summary.read_text()
        for line in output.read_text().splitlines():
            name, _, value = line.partition("=")
            values[f"steps.{step['id']}.outputs.{name}"] = value


def substituted(text: str, values: Mapping[str, str]) -> str:
    """``text`` with its expressions, of which only plain names are known here, replaced by their values."""
    return _EXPRESSION.sub(lambda expression: values.get(expression[1], ""), text)


def is_true(condition: str, values: Mapping[str, str]) -> bool:
    """Return True if a condition of comparisons, ``&&`` and ``||`` is true."""
    python = "".join(_translated(token, values) for token in _TOKEN.finditer(condition))
    return bool(eval(python, {"__builtins__": {}}))  # noqa: S307 - of our own action, token by token


def _translated(token: re.Match[str], values: Mapping[str, str]) -> str:
    if token["text"] is not None:
        return repr(token["text"])
    if token["name"]:
        return repr(values.get(token["name"], ""))
    return _OPERATORS.get(token["operator"], token["operator"]) if token["operator"] else " "
