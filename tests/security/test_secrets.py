"""Values of Secrets and cloud-init data are only in the manifests, whatever fails."""

from __future__ import annotations

import gzip
import lzma
import shlex
import shutil
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from renderer.cli.app import main
from tests.security.git_history import committed
from tests.security.planted import BREAKAGES, FILES, FORBIDDEN, MACHINE, SECRET

#: All their output is checked.
REPORTING = (
    *(f"validate --format {name}" for name in ("text", "json", "github", "sarif", "junit", "gitlab")),
    "validate prod/secret.yaml prod/machine.yaml rendered",
    "render --check",
    "render --check --format json",
    *(f"diff --format {name}" for name in ("text", "json", "markdown", "html")),
    *(f"explain secret/keys --format {name}" for name in ("text", "json")),
    *(f"explain vm/web --format {name}" for name in ("text", "json")),
    "explain secret/keys stringData.password",
    "migrate --diff",
    "argocd ignore-differences",
    "pin prod web",
    "render --verbose",
)
#: Their standard output is manifests.
PRINTING = (
    *(f"build prod --format {name}" for name in ("text", "json", "sarif")),
    "expand prod/machine.yaml prod/secret.yaml",
)


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository without a breakage: rendered and committed."""
    folder = tmp_path_factory.mktemp("repository")
    for path, text in FILES.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert invoked("render")[0] == 0
        committed(folder)
    return folder


def commands(breakage: str) -> tuple[str, ...]:
    """Return every command if nothing is wrong, otherwise some.

    These are the ones with the most output, and every other one of the rest, each in one of its formats:
    commands left out for one breakage are run for the next. Only ``render`` reports differences of rendered
    trees, in a different form for each format.
    """
    every = (*PRINTING, *REPORTING)
    if breakage == "nothing":
        return every
    number = [*BREAKAGES].index(breakage)
    chosen = {
        command
        for turn, command in enumerate(in_turn(every, number // 2))
        if command.startswith(("validate --", "diff", "build")) or turn % 2 == number % 2
    }
    if breakage.startswith("edited"):
        chosen |= {command for command in every if command.startswith("render")}
    return tuple(command for command in every if command in chosen)


def in_turn(commands: Iterable[str], number: int) -> Iterator[str]:
    """Yield each of the commands in one of its formats, another one for the next number."""
    formats: dict[str, list[str]] = {}
    for command in commands:
        formats.setdefault(command.partition(" --format ")[0], []).append(command)
    return (each[number % len(each)] for each in formats.values())


@pytest.mark.parametrize("breakage", BREAKAGES)
def test_canaries_are_not_printed(
    breakage: str, rendered: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = tmp_path / "repository"
    shutil.copytree(rendered, repository)
    path, old, new = BREAKAGES[breakage]
    text = (repository / path).read_text(encoding="utf-8")
    assert old in text
    (repository / path).write_bytes(text.replace(old, new).encode("utf-8", "surrogateescape"))
    monkeypatch.chdir(repository)
    cache = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    leaks = []
    for command in commands(breakage):
        code, stdout, stderr = invoked(command)
        assert code in (0, 1, 2), (command, stderr)
        output = stderr if command in PRINTING else stdout + stderr
        leaks += [f"{command}: {line}" for line in output.splitlines() if contains_canary(line)]
    kept = [file for file in cache.rglob("*") if file.is_file()]
    assert kept or breakage != "nothing"
    leaks += [f"{file}" for file in kept if contains_canary(raw(file))]
    assert leaks == []


def raw(file: Path) -> str:
    """Return its name and all its bytes, each as a character; compressed content also as text."""
    content = file.read_bytes()
    texts = [file.name, content.decode("latin-1")]
    for unpacked in (gzip.decompress, zlib.decompress, lzma.decompress):
        with suppress(OSError, EOFError, zlib.error, lzma.LZMAError):
            texts.append(unpacked(content).decode("latin-1"))
    return "\n".join(texts)


def test_functions_do_not_reveal_canaries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    items = [yaml.safe_load(text.replace("runStrategy", "runstrategy")) for text in (MACHINE, SECRET)]
    items[1]["stringData"]["list"] = [items[1]["stringData"]["password"]]
    given = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": items}
    code, stdout, stderr = invoked("fn", yaml.safe_dump(given))
    assert code == 1
    assert yaml.safe_load(stdout)["results"]
    assert not contains_canary(str(yaml.safe_load(stdout)["results"]) + stderr)


def test_canaries_are_in_the_input(rendered: Path) -> None:
    texts = [path.read_text(encoding="utf-8") for path in rendered.glob("rendered/prod/*/*.yaml")]
    assert sum(map(contains_canary, texts)) == 4


def contains_canary(text: str) -> bool:
    return any(word in text for word in FORBIDDEN)


def invoked(command: str, stdin: str | None = None) -> tuple[int, str, str]:
    run = CliRunner().invoke(main, shlex.split(command), input=stdin, prog_name="vmrender")
    return run.exit_code, run.stdout, run.stderr
