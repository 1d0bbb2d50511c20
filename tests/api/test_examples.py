"""The examples of the library work: the ones in docstrings, and the ones in ``docs/examples``."""

from __future__ import annotations

import doctest
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import renderer
from renderer.app import api
from tests.api.conftest import EXAMPLES

ROOT = EXAMPLES.parents[1]


def test_examples_in_docstrings(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are read from top to bottom, as the page of the reference shows them."""
    monkeypatch.chdir(shop.parent)
    docstrings = [api.__doc__, *(vars(api)[name].__doc__ for name in functions_in_order())]
    text = "\n".join(map(str, docstrings))
    test = doctest.DocTestParser().get_doctest(text, {"renderer": renderer}, "api", None, None)
    output: list[str] = []
    results = doctest.DocTestRunner().run(test, out=output.append)

    assert results.failed == 0, "".join(output)
    assert results.attempted > 15


def test_each_function_has_an_example() -> None:
    assert [name for name in functions_in_order() if ">>> " not in str(vars(api)[name].__doc__)] == []


def functions_in_order() -> list[str]:
    names = [name for name in api.__all__ if hasattr(vars(api)[name], "__wrapped__")]
    return sorted(names, key=lambda name: vars(api)[name].__wrapped__.__code__.co_firstlineno)


def test_policies_of_the_example_pass_and_fail(shop: Path) -> None:
    passed = pytest_in(shop)
    assert passed.returncode == 0, passed.stdout

    base = shop / "base/web.yaml"
    base.write_text(
        base.read_text().replace("u1.medium", "u1.8xlarge").replace("    team: shop\n", "    a: b\n")
    )
    failed = pytest_in(shop)
    assert failed.returncode == 1
    assert "test_overlays_fit_into_their_quota[overlays/test]" in failed.stdout
    assert "test_machines_name_their_team[overlays/prod]" in failed.stdout


def pytest_in(folder: Path) -> subprocess.CompletedProcess[str]:
    without = [f"-pno:{plugin}" for plugin in ("cacheprovider", "xdist", "hypothesispytest")]
    command = [sys.executable, "-m", "pytest", "-q", *without, "policies"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def test_the_script_says_what_a_sync_does(shop: Path) -> None:
    before = renderer.compare(renderer.open_project(shop), "HEAD~1", "HEAD")
    assert before.difference
    old = shop / "overlays/prod/kustomization.yaml"
    text = old.read_text()
    old.write_text(text.replace("u1.large", "u1.medium"))
    live = renderer.render(renderer.open_project(shop), "prod").manifests[:1]
    live[0]["metadata"] |= {"uid": "1", "resourceVersion": "7", "creationTimestamp": "2026-01-01T00:00:00Z"}
    live[0]["status"] = {"ready": True, "printableStatus": "Running"}
    old.write_text(text)

    script = EXAMPLES / "what_a_sync_does.py"
    assert len(script.read_text().splitlines()) <= 45
    run = subprocess.run(
        [sys.executable, script, shop, "prod"],
        input=json.dumps({"items": live}),
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout == "shop db restart\nshop web created\n"
