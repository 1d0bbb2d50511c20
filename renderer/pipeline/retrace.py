"""Compose an overlay again with a trace, to find where the values that findings are about were decided.

Only findings pay for it, and only those that a transformer, a replacement or quotes may have caused.
"""

from __future__ import annotations

from collections.abc import Callable

from renderer.compose.compose import BuildOptions, Composer
from renderer.compose.generators import GeneratorTable
from renderer.model.diagnostic import Diagnostic
from renderer.model.source_tree import KustomizationRoot, SourceTree
from renderer.model.work import allowed, spent
from renderer.provenance.deciding_sites import at_deciding_sites as decided
from renderer.provenance.deciding_sites import may_be_decided_elsewhere
from renderer.provenance.trace import Trace


def at_deciding_sites(
    findings: tuple[Diagnostic, ...],
    outline: KustomizationRoot,
    load: Callable[[], SourceTree],
    options: BuildOptions,
    generators: GeneratorTable,
) -> tuple[Diagnostic, ...]:
    """Return the findings of an overlay with the places that decided on the fields in front.

    ``outline`` is the overlay's root, with or without its resource files; ``load`` returns all of it.
    Composing twice must not be what ends a run: where more than half of its work is done, nothing changes.
    """
    asked = [each for each in findings if may_be_decided_elsewhere(each, outline)]
    if not asked or 2 * spent() > allowed():
        return findings
    trace = Trace()
    composed = Composer(generators, options, trace).compose(load())
    if composed.failed:
        return findings
    known = {id(each): decided(each, trace, composed.value) for each in asked}
    return tuple(known.get(id(each), each) for each in findings)
