"""The shipped composed catalog matches its folder. ``pytest --update-cases`` rewrites it."""

from __future__ import annotations

import pytest

from renderer.files.builtin_catalogs import (
    BUILTIN_CATALOGS,
    BuiltinFileSystem,
    builtin_path,
    composed_catalog,
    decode_composed,
    encode_composed,
)
from renderer.files.bundled import data_folder
from renderer.files.file_system import MemoryFileSystem
from renderer.kustomize.compose import BuildOptions, Composer
from renderer.kustomize.reader.load import Loader
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.render_config import MergeKeys, RenderConfig
from renderer.model.run.work import begin_run, spent
from renderer.pipeline import Pipeline
from renderer.pipeline.generators import GENERATORS
from renderer.pipeline.run_context import RunContext
from renderer.provenance.trace import Trace

FS = BuiltinFileSystem(MemoryFileSystem({}))


def composed_anew(folder: str, merge_keys: MergeKeys) -> ResourceSet:
    composer = Composer(GENERATORS, BuildOptions(merge_keys=merge_keys))
    outcome = composer.compose(Loader(FS, accumulate=composer.accumulate).load(folder))
    assert not outcome.diagnostics
    return outcome.value


@pytest.mark.parametrize("merge_keys", MergeKeys)
@pytest.mark.parametrize("name", BUILTIN_CATALOGS)
def test_shipped_catalog_matches_the_composed_folder(
    name: str, merge_keys: MergeKeys, request: pytest.FixtureRequest
) -> None:
    anew = composed_anew(builtin_path(name), merge_keys)
    file = data_folder("catalog") / f"{BUILTIN_CATALOGS[name]}.json"
    if request.config.getoption("--update-cases"):
        file.write_text(encode_composed(anew))
    shipped = decode_composed(file.read_bytes())
    assert shipped == anew
    assert [list(resource.content) for resource in shipped] == [list(resource.content) for resource in anew]
    assert file.read_text() == encode_composed(anew)


@pytest.mark.parametrize("name", BUILTIN_CATALOGS)
def test_run_uses_the_composed_catalog_and_findings_name_source_files(name: str) -> None:
    composed = Pipeline(FS, RenderConfig()).compose(builtin_path(name)).value
    assert composed is composed_catalog(builtin_path(name))
    places = {site.path for resource in composed for site in resource.sites()}
    assert {place for place in places if not FS.is_file(place)} == set()


@pytest.mark.parametrize("name", BUILTIN_CATALOGS)
def test_traced_run_uses_the_same_objects_and_knows_their_makers(name: str) -> None:
    for _ in range(2):  # the second time it is known in this process
        trace = Trace()
        begin_run()
        pipeline = Pipeline(FS, RenderConfig(), context=RunContext.fresh(trace))
        composed = pipeline.compose(builtin_path(name)).value
        assert composed == composed_catalog(builtin_path(name))
        assert all(len(trace.versions(resource)) > 1 for resource in composed)
        assert spent() == 0


def test_other_folders_are_composed_from_source() -> None:
    part = Pipeline(FS, RenderConfig()).compose("builtin:common-instancetypes/v1.7.0/instancetypes").value
    assert (
        0 < len(part) < len(Pipeline(FS, RenderConfig()).compose(builtin_path("common-instancetypes")).value)
    )
    assert composed_catalog("common-instancetypes/v1.7.0") is None
    assert composed_catalog("builtin:../schemas") is None


def test_objects_that_the_format_cannot_store_are_refused() -> None:
    with pytest.raises(ValueError, match="ConfigMap a has more to it"):
        encode_composed(
            [Resource({"kind": "ConfigMap", "metadata": {"name": "a"}}, Site("a.yaml"), needs_hash=True)]
        )
