"""Command lines that use every command, option and format, for programs that try them all.

``not_used`` compares lines with what the command line has, so that a new command, option or format fails a
test until it is tried as well.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator

import click

from renderer.cli import completions
from renderer.cli.app import main

#: The options of ``customize`` that set a field, or remove it: all do the same with a row of a table.
_SWITCHES = ("switch_", "no_switch_")


def commands() -> dict[str, click.Command]:
    """Return every command that does something, by its words: ``catalog diff``."""
    return dict(_commands(main, ()))


def _commands(group: click.Group, words: tuple[str, ...]) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from _commands(command, (*words, name))
        else:
            yield " ".join((*words, name)), command


def in_each(option: str, line: str) -> tuple[str, ...]:
    """Return a command line once with each choice of an option of its command."""
    words, redirection, stdin = line.partition(" < ")
    command, _ = _command_of(shlex.split(words))
    choices = next(_choices(each) for each in command.params if option in each.opts)
    return tuple(f"{words} {option} {choice}{redirection}{stdin}" for choice in choices)


def not_used(lines: Iterable[str]) -> list[str]:
    """Return the commands, options and choices that are in none of the lines, each as it is typed."""
    used = {part for line in lines for part in _used(shlex.split(line.partition(" < ")[0]))}
    return sorted({part for name, command in commands().items() for part in _parts(name, command)} - used)


def filled(line: str, **words: str) -> str:
    """Return a line with the words that stand for something replaced, wherever they are whole words."""
    return re.sub(r"\b[A-Z]{4,}\b", lambda found: words.get(found[0], found[0]), line)


def completed(overlay: str) -> Iterator[str]:
    """Yield what a shell offers, after the name of an overlay as well."""
    for name, complete in vars(completions).items():
        for parameters in (
            {},
            {"overlay": overlay},
            {"named": overlay, "subject": "VirtualMachineInstancetype"},
        ):
            if name.startswith("complete_"):
                context = click.Context(main)
                context.params = parameters
                yield from complete(context, main.params[0], "")


def _parts(name: str, command: click.Command) -> Iterator[str]:
    yield name
    for option in command.params:
        if isinstance(option, click.Option) and not str(option.name).startswith(_SWITCHES):
            given = f"{name} {option.opts[0]}"
            yield from (f"{given} {choice}" for choice in _choices(option)) if _choices(option) else (given,)


def _choices(option: click.Parameter) -> tuple[str, ...]:
    return tuple(map(str, option.type.choices)) if isinstance(option.type, click.Choice) else ()


def _used(words: list[str]) -> Iterator[str]:
    command, rest = _command_of(words)
    name = " ".join(words[: len(words) - len(rest)])
    yield name
    context = click.Context(command)
    values, _, given = command.make_parser(context).parse_args(list(rest))
    for option in {each for each in given if isinstance(each, click.Option)}:
        value = values[option.name]
        chosen = [*map(str, value)] if isinstance(value, list) else [str(value)]
        choices = _choices(option)
        yield from (f"{name} {option.opts[0]} {choice}" for choice in choices if choice in chosen)
        if not choices:
            yield f"{name} {option.opts[0]}"


def _command_of(words: list[str]) -> tuple[click.Command, list[str]]:
    command: click.Command = main
    while isinstance(command, click.Group):
        found = command.get_command(click.Context(command), words[0])
        assert found is not None, words
        command, words = found, words[1:]
    return command, words


#: Lines for a repository with an overlay: ``FILE`` is a manifest of it, ``FOLDER`` the overlay's folder,
#: ``MACHINE`` a machine of it with the label ``app: web``, ``DUMP`` what ``kubectl get`` prints, ``SIZE``
#: an instance type, ``CATALOG`` the folder of a catalog, ``PLAN`` what ``plan`` prints, and ``LIST`` the
#: ResourceList of the manifest.
LINES = (
    *in_each("--format", "validate"),
    *in_each("--format", "validate FILE --strict"),
    *("validate FOLDER", "validate --path FILE - < FILE", "validate - < FILE"),
    "validate --overlay FOLDER --kubevirt 1.8 --cluster east --ignore-missing-schemas -q",
    *in_each("--format", "render --dry-run"),
    *in_each("--format", "render --check"),
    *(
        "render --jobs 2",
        "render -v --no-progress --no-cache",
        "render --strict --tracked -q",
        "render FOLDER",
    ),
    "render --overlay FOLDER --cluster east --all-or-nothing",
    *("render --shard 1/2", "render --shard 1/1 --plan PLAN", "render --prune --force rendered/prod/a"),
    *in_each("--format", "diff"),
    *in_each("--format", "diff --each HEAD"),
    *in_each("--format", "diff --live DUMP"),
    "diff --since HEAD --overlay FOLDER --cluster east --no-progress",
    "diff HEAD --kubevirt 1.8 -v",
    "diff --ignore kind=ConfigMap --fail-on refused,data --format markdown --limit-bytes 1000",
    "diff --live DUMP --ignore owner=helm --exit-zero --jobs 2",
    *("diff --live DUMP --accept */* --dry-run", "diff --live DUMP --accept */*"),
    *in_each("--format", "explain MACHINE --overlay FOLDER"),
    *in_each("--format", "explain vm/MACHINE -n a --overlay FOLDER"),
    *in_each("--format", "explain VirtualMachine disks.bootOrder"),
    *("explain", "explain stale", "explain vm/MACHINE spec.template.spec --overlay FOLDER --cluster east"),
    *in_each("--format", "build FOLDER"),
    *in_each("--expand", "build FOLDER --validate --strict"),
    *in_each("--load-restrictor", "build FOLDER --cluster east"),
    "build --overlay FOLDER --kubevirt 1.8 -q",
    *in_each("--format", "expand FILE"),
    *in_each("--expand", "expand FILE --strict --cluster east"),
    *("expand FILE --kubevirt 1.8 -q", "expand - < FILE"),
    *in_each("--format", "fix --diff"),
    *in_each("--format", "fix --check FILE"),
    *("fix --overlay FOLDER --select unknown-field --kubevirt 1.8 --cluster east -q", "fix FOLDER", "fix"),
    *in_each("--format", "migrate --diff"),
    *in_each("--to", "migrate --diff"),
    *("migrate --check --overlay FOLDER --kubevirt 1.8 --cluster east -q", "migrate FILE", "migrate"),
    *("migrate --to vm-template FILE",),
    *in_each("--format", "pin FOLDER --all --dry-run"),
    *(
        "pin FOLDER MACHINE",
        "pin --overlay FOLDER -l app=web --cluster east",
        "pin FOLDER --all --update --wave 1",
    ),
    *in_each("--format", "unpin FOLDER --all --dry-run"),
    *("unpin --overlay FOLDER -l app=web --cluster east", "unpin FOLDER --live DUMP"),
    *("unpin FOLDER --cleared", "unpin FOLDER MACHINE"),
    *in_each("--format", "import DUMP --dry-run"),
    *in_each("--entries", "import DUMP --dry-run --all-namespaces --cluster east"),
    *in_each("--secrets", "import DUMP --dry-run --all-namespaces"),
    *("import DUMP --fit --group-by app --kubevirt 1.8 --dry-run -q", "import DUMP --only a/* --dry-run"),
    *("import DUMP --output imported/all --all-namespaces --force", "import - --dry-run < DUMP"),
    *("import DUMP --facts --cluster east",),
    *in_each("--format", "init --dry-run"),
    *in_each("--ci", "init --dry-run --kubevirt 1.8 --source vmrender==1.2.3"),
    *in_each("--editor", "init"),
    *in_each("--format", "catalog list"),
    *in_each("--kind", "catalog list --vcpus 1..8 --memory >=1Gi --cluster east"),
    *in_each("--scope", "catalog list --class general.purpose"),
    *("catalog list --arch amd64 linux", "catalog show SIZE --cluster east --kubevirt 1.8"),
    *in_each("--format", "catalog diff HEAD"),
    *in_each("--format", "catalog diff CATALOG builtin:common-instancetypes --full"),
    "catalog diff HEAD:CATALOG CATALOG --spec --cluster east",
    *("catalog export", "catalog export CATALOG --cluster east"),
    "catalog import CATALOG --release v1.0.0 --name copied --into copies --cluster east --add --force",
    "customize SIZE --name copy --keep-labels -n a --kubevirt 1.8 --vcpus 2",
    "customize SIZE --name copy --cluster --write copies/sizes --force --of-cluster east",
    *("schema list", "schema list --release 1.8", "schema import FILE --release 1.11 --into copies/schemas"),
    "schema export --into copies/exported --project --release 1.8",
    "schema export --into copies/edited --editor --project",
    "schema export VirtualMachine --editor --patch",
    *in_each("--format", "plan --shards 2 --cluster east"),
    *("fn < LIST", "fn --cluster east < LIST"),
    *("argocd discover", "argocd parameters", "argocd generate"),
    *in_each("--format", "argocd ignore-differences FOLDER"),
    "argocd ignore-differences --overlay FOLDER --cluster east",
    *("cache info", "cache clear", "version", "help", "help catalog diff"),
    *(f"completion {shell}" for shell in ("bash", "zsh", "fish", "powershell")),
)
