"""Trials: a repository with a canary, commands in their formats, and the search through all that is left."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import yaml

from renderer.model.render_config import OWNERSHIP_FILE
from tests.command_surface import LINES, completed, filled, in_each
from tests.security.canaries.forms import FORMS, SPELLINGS, WORDS
from tests.security.canaries.repositories import (
    CARRIERS,
    CONTEXTS,
    CREDENTIALS,
    ENGINES,
    NAMES,
    PLACES,
    START_DATA,
    STYLES,
    WAYS,
    Copy,
    Object,
    Repository,
    reader,
)
from tests.security.canaries.search import canaries, content_of, has_canary
from tests.security.git_history import committed
from tests.security.test_secrets import invoked

#: What the words of a command line stand for.
_WORDS = {
    "FILE": "prod/objects.yaml",
    "FOLDER": "prod",
    "MACHINE": "reader",
    "DUMP": "dump.json",
    "SIZE": "ours",
    "CATALOG": "sizes",
    "PLAN": "plan.json",
}
#: All their output is searched, whatever is wrong with the repository.
COMMANDS = (
    *(filled(line, **_WORDS) for line in LINES),
    *in_each("--format", "diff --live cluster"),
    *("diff --live cluster --accept */* --dry-run", "diff --live cluster --accept */*"),
    *("import cluster --dry-run --format json", "import cluster --dry-run --secrets plain"),
    *("validate prod/kustomization.yaml", "validate rendered"),
    *in_each("--format", "explain configmap/cm -n a"),
    *in_each("--format", "explain secret/keys"),
    *in_each("--format", "explain thing/cm"),
    *("explain vm/we", "explain vm/web spec.nope", "explain thing/cm spec.dsm", "explain cm -n b"),
    *("explain secret/keys stringData.password", "explain vm/web", "catalog show sized"),
    "customize sized --name copy --write copies/sizes --keep-labels",
)
#: Formats and commands that are always run: they have shown most.
ALWAYS = (
    *("diff --format text", "diff --format json", "render --check --format text"),
    *(
        "explain configmap/cm -n a --format text",
        "validate --format text",
        "diff --live cluster --format json",
    ),
)
#: Commands whose standard output is manifests.
MANIFESTS = ("build", "expand", "catalog export", "argocd generate", "customize")
#: Commands that read a single file.
_ABOUT_FILES = ("expand ", "validate - ")
#: Where commands write manifests: rendered trees, pins, copies of sizes.
_MANIFEST_FOLDERS = ("rendered/", "prod/pins/", "copies/sizes/")
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

    def value(self, word: str) -> str:
        """Return a word in the form of the trial; the value in a file of ``envs`` is one line."""
        text = FORMS[self.form](word)
        return " ".join(text.split()) if self.way == "envs" else text

    def files(self, word: str) -> Mapping[str, str]:
        """Return the files of the repository with a word as the value."""
        text = self.value(word)
        repository = Repository()
        if self.way in ENGINES:
            ENGINES[self.way](repository, text, self.place)
        elif self.way in CREDENTIALS:
            CREDENTIALS[self.way](repository, text)
        else:
            source = WAYS[self.way](repository, text)
            if source:
                CARRIERS[self.carrier](repository, Copy(source, self.place, text))
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

    ways, styles = in_turn((*WAYS, *ENGINES, *ENGINES, *CREDENTIALS)), in_turn(STYLES)
    forms = in_turn(FORMS)
    carriers, places, contexts = in_turn(CARRIERS), in_turn(PLACES), in_turn(CONTEXTS)
    breakages = in_turn(BREAKAGES)
    while True:
        way, style, breakage = next(ways), next(styles), next(breakages)
        if way in CREDENTIALS:
            yield Trial(way, "plain", "", "", style, breakage)
            continue
        form, carrier = next(forms), "" if way in ENGINES else next(carriers)
        if breakage == "a lost bracket" and (carrier != "repeated" or way == "moved by a patch"):
            breakage = (
                "nothing"  # what took the old value out of its Secret may be lost: nobody knows it then
            )
        if way in ENGINES:
            yield Trial(way, form, carrier, next(contexts), style, breakage)
        else:
            place = next(places)
            # Of what is no Secret's, nobody knows an earlier value that has become a name.
            place = "annotation" if place in NAMES and way in START_DATA else place
            # The memory of all machines is a sum, which the size of a single one is as well.
            place = "number" if place == "quantity" and form in SPELLINGS else place
            yield Trial(way, form, carrier, place, style, breakage)


def commands(trial: Trial, seed: int, count: int) -> list[str]:
    """Return the commands for a trial: those that are always run, and ``count`` others."""
    rest = [each for each in COMMANDS if each not in ALWAYS]
    if trial.carrier == "repeated":  # a file alone does not say that another file has the value in a Secret
        rest = [each for each in rest if not each.startswith(_ABOUT_FILES)]
    chosen = random.Random(f"{seed} {trial}").sample(rest, min(count, len(rest)))
    return [*ALWAYS, *chosen]


def leaks(trial: Trial, chosen: Iterable[str]) -> list[str]:
    """Run commands before and after the value changes; return each line and file that has a canary."""
    with repository(trial) as root:
        return [*_leaks(trial, chosen, root)]


@contextmanager
def repository(trial: Trial) -> Iterator[Path]:
    """Work in the repository of a trial: its first state is committed, and what a cluster has."""
    with TemporaryDirectory() as folder, _in_folder(Path(folder)) as root:
        _write(root, trial.files(WORDS[0]), dump(trial, WORDS[0]))
        invoked("render")
        committed(root)
        if (root / "rendered").exists() and trial.place not in NAMES:
            shutil.copytree(root / "rendered", root / "cluster")
        (root / "plan.json").write_text(invoked("plan --shards 1")[1], encoding="utf-8")
        yield root


def _leaks(trial: Trial, chosen: Iterable[str], root: Path) -> Iterator[str]:
    yield from run("render --check --no-cache", trial)
    before, after = trial.files(WORDS[0]), trial.broken(trial.files(WORDS[1]))
    _write(root, after, dump(trial, WORDS[1]))
    for command in (*chosen, "import dump.json --output imported", "render", "render --check", "fn < LIST"):
        yield from run(command, trial)
    yield from (f"completion: {each}" for each in completed("prod") if has_canary(each))
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
    way = {**WAYS, **CREDENTIALS}.get(trial.way, WAYS["stringData"])
    way(repository, trial.value(word))
    return [*repository.objects, reader()]


def _resource_list(trial: Trial) -> str:
    given = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        "items": _objects(trial, WORDS[0]),
        "functionConfig": {"apiVersion": "vmrender.io/v1alpha1", "kind": "Validation"},
    }
    return json.dumps(given)


def stdin_of(command: str, trial: Trial) -> str | None:
    _, _, source = command.partition(" < ")
    if source == "LIST":
        return _resource_list(trial)
    return Path(source).read_text(encoding="utf-8") if source else None


def run(command: str, trial: Trial) -> Iterator[str]:
    """Run a command, and search what it prints besides manifests; of a function, the results."""
    words, _, _ = command.partition(" < ")
    code, stdout, stderr = invoked(words, stdin_of(command, trial))
    if code not in (0, 1, 2):
        yield f"{command}: exit {code}: {stderr}"
    if words.startswith("fn"):
        answer = yaml.safe_load(stdout) if stdout else None
        stdout = json.dumps((answer or {}).get("results"), ensure_ascii=False)
    output = stderr if words.startswith(MANIFESTS) else stdout + stderr
    yield from (f"{command}: {line}" for line in canaries(output))


def _left_over(root: Path, inputs: Container[str], *, is_withheld: bool) -> Iterator[str]:
    """Yield each file with a canary that is neither an input nor a manifest."""
    for file in root.parent.rglob("*"):
        path = file.relative_to(root.parent).as_posix()
        name = path.removeprefix(f"{root.name}/")
        if not file.is_file() or name in inputs or name.startswith((".git/", "cluster/")):
            continue
        is_manifest = name.startswith(_MANIFEST_FOLDERS) or (name.startswith("imported/") and not is_withheld)
        is_manifest = is_manifest and (file.suffix == ".yaml" or file.name == OWNERSHIP_FILE)
        if not is_manifest and has_canary(content_of(file)):
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
