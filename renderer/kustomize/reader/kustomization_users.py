"""Which of many kustomizations use a folder, directly or through others.

A repository may have thousands of kustomizations that use each other in long chains. The users of each folder
are therefore the bits of one number, and are found in one pass over the graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from renderer.kustomize.reader.kustomization_graph import KustomizationGraph
from renderer.model.run.work import spend

#: Bits of a number that the system handles in one step (``model.run.work``), at least.
_BITS_PER_STEP = 4_096


class KustomizationUsers:
    """The kustomizations among ``roots`` that use a folder. A kustomization is a user of its own folder."""

    def __init__(self, graph: KustomizationGraph, roots: Iterable[str]) -> None:
        self._roots = tuple(dict.fromkeys(roots))
        numbers = {root: number for number, root in enumerate(self._roots)}
        parents = _parents(graph, self._roots)
        spend(len(parents) * (2 + len(numbers) // _BITS_PER_STEP), "following kustomizations")
        self._users: dict[str, int] = {}
        #: The folders that a root uses which is not in a cycle with them.
        self.used_by_others: set[str] = set()
        for group in _cycles(parents):
            own = above = 0
            for folder in group:
                own |= 1 << numbers[folder] if folder in numbers else 0
                for parent in parents[folder]:
                    above |= self._users.get(parent, 0)
            self.used_by_others.update(group if above else ())
            self._users.update(dict.fromkeys(group, own | above))
        #: The bits of the roots that count.
        self._counted = (1 << len(self._roots)) - 1

    def outermost(self) -> KustomizationUsers:
        """Return the users of folders among the roots that no other root uses."""
        narrowed = object.__new__(KustomizationUsers)
        narrowed._roots, narrowed._users = self._roots, self._users
        narrowed.used_by_others = self.used_by_others
        narrowed._counted = 0
        for number, root in enumerate(self._roots):
            if self._users.get(root) == 1 << number:
                narrowed._counted |= 1 << number
        return narrowed

    @property
    def roots(self) -> tuple[str, ...]:
        """The roots that count."""
        return tuple(root for number, root in enumerate(self._roots) if self._counted >> number & 1)

    def uses(self, folder: str) -> bool:
        """Return True if one of the roots uses the folder."""
        return bool(self._users.get(folder, 0) & self._counted)

    def of(self, folders: Iterable[str]) -> Iterator[str]:
        """Yield the users of the folders, each once: in the order of the roots for each folder"""
        left = self._counted
        for folder in folders:
            found = self._users.get(folder, 0) & left
            left &= ~found
            bits = f"{found:b}"[::-1] if found else ""
            spend(1 + len(bits) // _BITS_PER_STEP, "following kustomizations")
            number = bits.find("1")
            while number >= 0:
                yield self._roots[number]
                number = bits.find("1", number + 1)


def _parents(graph: KustomizationGraph, roots: Iterable[str]) -> Mapping[str, Sequence[str]]:
    """Return each folder with a kustomization that a root uses, with those whose kustomizations list it."""
    found: dict[str, list[str]] = {root: [] for root in roots if graph.links(root)}
    waiting = list(found)
    for folder in waiting:
        links = graph.links(folder)
        for used in links.folders if links else ():
            if used not in found and graph.links(used):
                found[used] = []
                waiting.append(used)
            if used in found:
                found[used].append(folder)
    return found


def _cycles(parents: Mapping[str, Sequence[str]]) -> Iterator[list[str]]:
    """Yield the folders in groups: those in a cycle together, any other alone; parents come first.

    They are the strongly connected components of the graph, by Tarjan's algorithm.
    """
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    done: set[str] = set()
    open_: list[str] = []
    for start in parents:
        path = [] if start in order else [(start, iter(parents[start]))]
        if path:
            order[start] = lowest[start] = len(order)
            open_.append(start)
        while path:
            folder, above = path[-1]
            for parent in above:
                if parent not in order:
                    order[parent] = lowest[parent] = len(order)
                    open_.append(parent)
                    path.append((parent, iter(parents[parent])))
                    break
                if parent not in done:
                    lowest[folder] = min(lowest[folder], order[parent])
            else:
                path.pop()
                if path:
                    below = path[-1][0]
                    lowest[below] = min(lowest[below], lowest[folder])
                if lowest[folder] == order[folder]:
                    at = len(open_) - 1
                    while open_[at] != folder:
                        at -= 1
                    group = open_[at:]
                    del open_[at:]
                    done.update(group)
                    yield group
