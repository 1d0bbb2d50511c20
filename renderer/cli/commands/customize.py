"""``vmrender customize SOURCE --name NAME``, with an option for each switch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import click

from renderer.app.customize import customize
from renderer.authoring.sizes.customize import Copy, SpecChanges
from renderer.authoring.sizes.switches import SWITCHES, SWITCHES_FOR, Switch
from renderer.cli.command import Command
from renderer.cli.completions import complete_sizes
from renderer.cli.console import ExitCode, note, open_project, print_manifests, report
from renderer.cli.options import kubevirt_option, of_cluster_option
from renderer.model.diagnostic import has_errors
from renderer.model.kube.resource import ResourceSet
from renderer.model.release import Release

_SET, _CLEARED = "switch_", "no_switch_"


def switch_options(command: Callable[..., object]) -> Callable[..., object]:
    """Return the command with an option for each switch, and the ``--no-`` options."""
    for switch in reversed(list(SWITCHES.values())):
        for decorate in _options_of(switch):
            command = decorate(command)
    return command


def changes_of(options: Mapping[str, object]) -> SpecChanges:
    """Return the changes that the command's options request."""
    values: dict[str, tuple[str, ...]] = {}
    for name in SWITCHES:
        value = options[_SET + name.replace("-", "_")]
        if isinstance(value, tuple) and value:
            values[name] = tuple(map(str, value))
        elif value is True:
            values[name] = ()
    cleared = (name for name in SWITCHES if options.get(_CLEARED + name.replace("-", "_")))
    return SpecChanges(values, frozenset(cleared))


def _options_of(switch: Switch) -> Iterable[Callable[[Callable[..., object]], Callable[..., object]]]:
    word = switch.name.replace("-", "_")
    names = [f"--{name}" for name in (switch.name, switch.alias) if name]
    if switch.value.metavar:
        yield click.option(*names, _SET + word, multiple=True, metavar=switch.value.metavar)
    else:
        yield click.option(*names, _SET + word, is_flag=True)
    if switch.is_optional:
        yield click.option(f"--no-{switch.name}", _CLEARED + word, is_flag=True)


class SwitchCommand(Command):
    """A command whose help lists switches in separate tables, one line each."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        records = [
            record
            for parameter in self.get_params(ctx)
            if isinstance(parameter, click.Option)
            and not str(parameter.name).startswith((_SET, _CLEARED))
            and (record := parameter.get_help_record(ctx)) is not None
        ]
        with formatter.section("Options"):
            formatter.write_dl(records)
        for target, switches in SWITCHES_FOR.items():
            rows: list[tuple[str, str]] = []
            for switch in switches:
                metavar = f" {switch.value.metavar}" if switch.value.metavar else ""
                repeatable = " Repeatable." if switch.value.repeats else ""
                rows.append((f"--{switch.name}{metavar}", f"{switch.summary}{repeatable}"))
            with formatter.section(f"For {target}s; --no-NAME removes the value of SOURCE"):
                formatter.write_dl(rows)


@click.command("customize", cls=SwitchCommand)
@of_cluster_option
@click.argument("source", shell_complete=complete_sizes)
@click.option("--name", required=True, help="Name of the copy.")
@click.option(
    "--cluster/--namespaced",
    "is_cluster_wide",
    default=False,
    help="Make a cluster-wide or a namespaced object.  [default: namespaced]",
)
@click.option("-n", "--namespace", help="Namespace of the copy; omitted by default.")
@click.option(
    "--keep-labels",
    is_flag=True,
    help="Keep labels and annotations of instancetype.kubevirt.io, adapted to the copy.",
)
@click.option(
    "--write",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Write the copy to DIR/NAME.yaml and list it in the kustomization there, instead of printing it.",
)
@click.option("--force", is_flag=True, help="With --write: replace DIR/NAME.yaml.")
@kubevirt_option
@switch_options
def command(
    source: str,
    folder: Path | None,
    kubevirt: Release | None,
    force: bool,  # noqa: FBT001 - click passes flags so
    **options: object,
) -> ExitCode:
    """Make a customised copy of an instance type or preference.

    SOURCE is looked up in the project's catalogs: the name of a cluster-wide entry, or else of a namespaced
    one; where several have the name, KIND/NAME or NAMESPACE/KIND/NAME. Everything that no option changes is
    copied.

    \b
    Examples:
      vmrender customize u1.medium --name u1.mysize --vcpus 4 --memory 4Gi
      vmrender customize m1.large --name db.large --no-hugepages --max-guest-memory 64Gi --write catalogs/ours
      vmrender customize preference/fedora --name fedora.sata --disk-bus sata --cluster
    """
    project = open_project()
    customized = customize(project, source, _copy(options), kubevirt, folder=folder, force=force)
    for text in customized.written:
        note(text)
    if folder is None and not has_errors(customized.findings):
        print_manifests(ResourceSet((customized.copy,)))
    return report(project.fs, customized.findings)


def _copy(options: Mapping[str, object]) -> Copy:
    namespace = options["namespace"]
    return Copy(
        name=str(options["name"]),
        is_cluster_wide=bool(options["is_cluster_wide"]),
        namespace=None if namespace is None else str(namespace),
        keep_labels=bool(options["keep_labels"]),
        changes=changes_of(options),
    )
