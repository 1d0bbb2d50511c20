"""What deploys an overlay is looked up, and each pair of an overlay and an object that deploys it is work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from renderer.app.comparison.side import Side
from renderer.files.file_system import MemoryFileSystem
from renderer.model.run.work import begin_run, spent

KUSTOMIZATION = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {{name: k{}, namespace: flux-system}}
spec: {{path: {}, prune: true, sourceRef: {{kind: GitRepository, name: flux-system}}}}
"""
APPLICATION_SET = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: set, namespace: argocd}
spec:
  generators: [{list: {elements: [ELEMENTS]}}]
  template:
    metadata: {name: '{{a}}'}
    spec: {project: x, destination: {name: x}, source: {path: '{{a}}', repoURL: .}}
"""


class Counted(list[int]):
    """A list that counts how often it is gone through."""

    looks = 0

    def __iter__(self) -> Iterator[int]:
        self.looks += 1
        return super().__iter__()


def side_with(kustomizations: Iterable[str]) -> Side:
    return Side(
        "work tree",
        MemoryFileSystem(
            {
                "vmrender.yaml": b"""\
apiVersion: vmrender.io/v1alpha1
kind: RenderConfig
overlays: [{path: a}]
""",
                "a/kustomization.yaml": b"resources: []\n",
                "clusters/all.yaml": "---\n".join(kustomizations).encode(),
            }
        ),
    )


def test_folders_above_many_objects_are_searched_once() -> None:
    deployers = side_with(KUSTOMIZATION.format(number, "./") for number in range(50)).deployers
    by_folder, globs = deployers._by_source  # noqa: SLF001 - to count
    counted = Counted(by_folder["."])
    deployers.__dict__["_by_source"] = {".": counted}, globs
    children = [*deployers.objects]
    assert len(children) == 50
    assert not [*deployers.above(children)]  # each deploys all of them, and is one of them
    assert [each.name for each in deployers.above(children[:1])] == [f"k{number}" for number in range(1, 50)]
    assert counted.looks == 2


def test_each_object_that_deploys_an_overlay_is_work_each_time() -> None:
    def steps(count: int) -> int:
        side = side_with(KUSTOMIZATION.format(number, "./a") for number in range(count))
        overlay = side.overlays["a"]
        assert len(side.deployers.of(overlay)) == count
        begin_run()
        side.deployers.of(overlay)
        return spent()

    assert steps(100) == 10 * steps(10) > 0


def test_what_a_set_makes_is_looked_up() -> None:
    elements = ", ".join(f"{{a: a{number}}}" for number in range(100))
    deployers = side_with([APPLICATION_SET.replace("ELEMENTS", elements)]).deployers
    (maker,) = deployers.objects
    made = deployers.made_by(maker)
    assert len(made) == 100
    assert all(deployers.makes(maker, each.object_key) for each in made)
    assert not deployers.makes(maker, (*made[0].object_key[:3], "b1"))
