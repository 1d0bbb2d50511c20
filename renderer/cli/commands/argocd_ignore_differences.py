"""``vmrender argocd ignore-differences [OVERLAY…]``."""

from __future__ import annotations

import click

from renderer.cli.completion_items import complete_overlays
from renderer.cli.console import print_document, report
from renderer.cli.exit_code import ExitCode
from renderer.cli.options import format_option
from renderer.cli.repository import Repository
from renderer.model.diagnostic import Diagnostic, has_errors
from renderer.pipeline import Pipeline
from renderer.pipeline.entry_points import find_overlays
from renderer.source.overlays import select_overlays


@click.command("ignore-differences")
@click.argument("overlays", metavar="[OVERLAY]...", nargs=-1, shell_complete=complete_overlays)
@format_option(beside_manifests=True)
def command(overlays: tuple[str, ...]) -> ExitCode:
    """Print what an Argo CD Application has to ignore of virtual machines.

    KubeVirt fills in fields when a virtual machine is created: firmware UUID, architecture, machine type and
    more, depending on the release. Those that the rendered overlays leave open, and that their target release
    fills in, are printed as a part of an Application's spec. webhookFields in vmrender.yaml is the other
    way: then they are in Git.

    \b
    Examples:
      vmrender argocd ignore-differences prod
      vmrender argocd ignore-differences > argocd/ignore.yaml
    """
    from renderer.instancetype.behaviour import behaviour_of  # noqa: PLC0415 - not for --help
    from renderer.instancetype.open_fields import open_fields  # noqa: PLC0415 - as above

    repository = Repository.here()
    pipeline = Pipeline(repository.fs, repository.config)
    selected = select_overlays(find_overlays(repository.fs, repository.config), overlays)
    findings: list[Diagnostic] = []
    paths: dict[str, None] = {}
    for overlay in selected:
        outcome = pipeline.render(overlay).in_overlay(overlay.path)
        findings += outcome.diagnostics
        paths |= dict.fromkeys(open_fields(outcome.value, behaviour_of(overlay.kubevirt)))
    if not has_errors(findings):
        print_document(_snippet(tuple(paths)))
    return report(repository.fs, findings, [overlay.path for overlay in selected])


def _snippet(paths: tuple[str, ...]) -> str:
    from renderer.yamlio.encode import encode  # noqa: PLC0415 - as above

    if not paths:
        return encode([{"ignoreDifferences": []}])
    ignored = {"group": "kubevirt.io", "kind": "VirtualMachine", "jqPathExpressions": list(paths)}
    # Without the option a sync would still take away what the diff does not show.
    return encode(
        [
            {
                "ignoreDifferences": [ignored],
                "syncPolicy": {"syncOptions": ["RespectIgnoreDifferences=true"]},
            }
        ]
    )
