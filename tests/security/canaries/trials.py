"""Trials: a repository with a canary, commands in their formats, and the search through all that is left."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import yaml

from tests.security.canaries.forms import FORMS, SPELLINGS, WORDS
from tests.security.canaries.repositories import (
    CARRIERS,
    CONTEXTS,
    ENGINES,
    PLACES,
    STYLES,
    WAYS,
    Copy,
    Object,
    Repository,
)
from tests.security.canaries.search import canaries, content_of, has_canary
from tests.security.git_history import committed
from tests.security.test_secrets import PRINTING, REPORTING, invoked

#: All their output is searched, whatever is wrong with the repository.
COMMANDS = (
    *REPORTING,
    "explain configmap/cm",
    "explain configmap/cm --format json",
    "explain thing/cm",
    "explain thing/cm --format json",
    "explain vm/web spec.template.spec",
    "diff --live dump.json",
    "diff --live dump.json --format json",
    "diff --live dump.json --format html",
    "diff --each HEAD",
    "validate --strict",
    "render --dry-run",
    "render --check --jobs 2",
    "init --dry-run",
    "catalog list",
    "argocd ignore-differences",
    "pin prod --all --dry-run",
    "validate prod/objects.yaml --format json",
    "validate prod/kustomization.yaml",
)
#: Formats and commands that are always run: they have shown most.
ALWAYS = ("diff", "diff --format json", "render --check", "explain configmap/cm", "validate")
#: Commands whose standard output is manifests.
MANIFESTS = ("build", "expand")
#: Of these objects of a cluster, ``import`` writes no value.
WITHHELD = frozenset({"stringData", "data", "data on lines", "List", "copy of kubectl", "copy of kapp"})


def bad_line(text: str, chosen: random.Random) -> str:
    lines = text.split("\n")
    lines.insert(chosen.randrange(len(lines)), "  x y: [")
    return "\n".join(lines)


def double_line(text: str, chosen: random.Random) -> str:
    lines = text.split("\n")
    index = chosen.randrange(len(lines))
    return "\n".join((*lines[: index + 1], *lines[index:]))


def lost_bracket(text: str, chosen: random.Random) -> str:
    places = [index for index, character in enumerate(text) if character in "\"'}]:"]
    at = chosen.choice(places) if places else 0
    return text[:at] + text[at + 1 :]


#: What may be wrong with one of the files of the second state.
BREAKAGES: Mapping[str, Callable[[str, random.Random], str]] = {
    "nothing": lambda text, _: text,
    "a bad line": bad_line,
    "nothing, again": lambda text, _: text,
    "a double line": double_line,
    "a lost bracket": lost_bracket,
}


class Trial(NamedTuple):
    """One way in with one form: ``carrier`` and ``place``, or the ``place`` in the text of an engine."""

    way: str
    form: str
    carrier: str
    place: str
    style: str
    breakage: str = "nothing"

    def __str__(self) -> str:
        return "; ".join(self)

    def files(self, word: str) -> Mapping[str, str]:
        """Return the files of the repository with a word as the value."""
        text = FORMS[self.form](word)
        repository = Repository()
        if self.way in ENGINES:
            ENGINES[self.way](repository, text, self.place)
        else:
            source = WAYS[self.way](repository, text)
            if source:
                CARRIERS[self.carrier](repository, Copy(source, self.place, text))
        if not repository.objects:
            repository.files["prod/objects.yaml"] = (
                "{apiVersion: v1, kind: ConfigMap, metadata: {name: other}}\n"
            )
        return repository.texts(self.style)

    def broken(self, files: Mapping[str, str]) -> Mapping[str, str]:
        """Return the files, one of which is broken."""
        chosen = random.Random(str(self))
        path = chosen.choice([path for path in sorted(files) if path != "vmrender.yaml"])
        return {**files, path: BREAKAGES[self.breakage](files[path], chosen)}


def trials(seed: int) -> Iterator[Trial]:
    """Yield trials without end; all ways, forms and places have their turn again and again."""
    chosen = random.Random(seed)

    def in_turn(names: Iterable[str]) -> Iterator[str]:
        every = [*names]
        while True:
            chosen.shuffle(every)
            yield from every

    ways, forms, styles = in_turn((*WAYS, *ENGINES, *ENGINES)), in_turn(FORMS), in_turn(STYLES)
    carriers, places, contexts = in_turn(CARRIERS), in_turn(PLACES), in_turn(CONTEXTS)
    breakages = in_turn(BREAKAGES)
    while True:
        way, form, style, breakage = next(ways), next(forms), next(styles), next(breakages)
        carrier = "" if way in ENGINES else next(carriers)
        if breakage == "a lost bracket" and (carrier != "repeated" or way == "moved by a patch"):
            breakage = (
                "nothing"  # what took the old value out of its Secret may be lost: nobody knows it then
            )
        if way in ENGINES:
            yield Trial(way, form, carrier, next(contexts), style, breakage)
        else:
            place = next(places)
            # The memory of all machines is a sum, which the size of a single one is as well.
            place = "number" if place == "quantity" and form in SPELLINGS else place
            yield Trial(way, form, carrier, place, style, breakage)


def commands(trial: Trial, seed: int, count: int) -> list[str]:
    """Return the commands for a trial: those that are always run, and ``count`` others."""
    rest = [each for each in (*COMMANDS, *PRINTING) if each not in ALWAYS]
    chosen = random.Random(f"{seed} {trial}").sample(rest, min(count, len(rest)))
    return [*ALWAYS, *chosen]


def leaks(trial: Trial, chosen: Iterable[str]) -> list[str]:
    """Run commands before and after the value changes; return each line and file that has a canary."""
    with TemporaryDirectory() as folder, _in_folder(Path(folder)) as root:
        return [*_leaks(trial, chosen, root)]


def _leaks(trial: Trial, chosen: Iterable[str], root: Path) -> Iterator[str]:
    before, after = map(trial.files, WORDS)
    _write(root, before, dump(trial, WORDS[0]))
    yield from _leaks_of("render")
    committed(root)
    after = trial.broken(after)
    _write(root, after, dump(trial, WORDS[1]))
    for command in chosen:
        yield from _leaks_of(command)
    for command in ("import dump.json --output imported", "render", "render --check"):
        yield from _leaks_of(command)
    yield from _leaks_of_function(trial)
    yield from _left_over(root, {*before, *after, "dump.json"}, is_withheld=trial.way in WITHHELD)


def _write(root: Path, files: Mapping[str, str], dumped: str) -> None:
    for path, text in {**files, "dump.json": dumped}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8", newline="")


def dump(trial: Trial, word: str) -> str:
    """Return a dump of a cluster that has the objects of the way in."""
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": _objects(trial, word)})


def _objects(trial: Trial, word: str) -> list[Object]:
    repository = Repository()
    WAYS.get(trial.way, WAYS["stringData"])(repository, FORMS[trial.form](word))
    return repository.objects


def _leaks_of(command: str) -> Iterator[str]:
    code, stdout, stderr = invoked(command)
    if code not in (0, 1, 2):
        yield f"{command}: exit {code}: {stderr}"
    output = stderr if command.startswith(MANIFESTS) else stdout + stderr
    yield from (f"{command}: {line}" for line in canaries(output))


def _leaks_of_function(trial: Trial) -> Iterator[str]:
    """Run as a KRM function, and search its results and standard error."""
    given = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        "items": _objects(trial, WORDS[0]),
        "functionConfig": {"apiVersion": "vmrender.io/v1alpha1", "kind": "Validation"},
    }
    _, stdout, stderr = invoked("fn", json.dumps(given))
    answer = yaml.safe_load(stdout) if stdout else {}
    results = json.dumps((answer or {}).get("results"), ensure_ascii=False)
    yield from (f"fn: {line}" for line in (*canaries(results), *canaries(stderr)))


def _left_over(root: Path, inputs: Container[str], *, is_withheld: bool) -> Iterator[str]:
    """Yield each file with a canary that is neither an input nor a manifest."""
    for file in root.parent.rglob("*"):
        path = file.relative_to(root.parent).as_posix()
        name = path.removeprefix(f"{root.name}/")
        if not file.is_file() or name in inputs or name.startswith(".git/"):
            continue
        is_manifest = name.startswith("rendered/") or (name.startswith("imported/") and not is_withheld)
        if not (is_manifest and file.suffix == ".yaml") and has_canary(content_of(file)):
            yield f"file {path}"


@contextmanager
def _in_folder(folder: Path) -> Iterator[Path]:
    """Work in an empty repository, with caches and a home beside it."""
    root = folder / "repository"
    root.mkdir()
    homes = {"XDG_CACHE_HOME": "cache", "XDG_STATE_HOME": "state", "HOME": "home"}
    before, at = {name: os.environ.get(name) for name in homes}, Path.cwd()
    os.environ.update({name: str(folder / path) for name, path in homes.items()})
    os.chdir(root)
    try:
        yield root
    finally:
        os.chdir(at)
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
