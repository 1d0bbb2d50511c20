"""Compose an overlay once more, with a trace, to learn where the values that findings are about were decided.

Only findings pay for it, and only those that a transformer, a replacement or quotes may have caused.
"""

from __future__ import annotations

from renderer.compose.compose import BuildOptions, Composer
from renderer.compose.generators import GeneratorTable
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.work import allowed, spent
from renderer.provenance.deciding_sites import at_deciding_sites as decided
from renderer.provenance.deciding_sites import may_be_decided_elsewhere
from renderer.provenance.trace import Trace
from renderer.source.load import Loader


def at_deciding_sites(
    findings: tuple[Diagnostic, ...],
    folder: str,
    loader: Loader,
    options: BuildOptions,
    generators: GeneratorTable,
) -> tuple[Diagnostic, ...]:
    """Return the findings of the overlay in ``folder`` with the places that decided on the fields in front.

    Composing twice must not be what ends a run: where more than half of its work is done, nothing changes.
    """
    try:
        tree = loader.load(folder)
    except DiagnosticError:
        return findings
    asked = [each for each in findings if may_be_decided_elsewhere(each, tree.root)]
    if not asked or 2 * spent() > allowed():
        return findings
    trace = Trace()
    composed = Composer(generators, options, trace).compose(tree)
    if composed.failed:
        return findings
    known = {id(each): decided(each, trace, composed.value) for each in asked}
    return tuple(known.get(id(each), each) for each in findings)
