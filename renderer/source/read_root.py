"""One folder with a kustomization: its file read, every field followed to what it names."""

from __future__ import annotations

from renderer.model.codes import Code
from renderer.model.completed_kustomization import CompletedKustomization
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.generators import DataGenerator, GeneratorArgs
from renderer.model.kustomization import Kustomization
from renderer.model.location import Site
from renderer.model.source_tree import KustomizationRoot, OpenApi
from renderer.source.entries import Entries, ReadFolder
from renderer.source.field_spec_files import read_field_spec_file
from renderer.source.find_kustomization import find_kustomization
from renderer.source.generator_data import read_data
from renderer.source.ignored_documents import ignored_documents
from renderer.source.kustomization import deprecations, parse_completed, parse_kustomization
from renderer.source.plugins.plugins import Accumulate, Plugins
from renderer.source.replacement_files import load_replacements
from renderer.source.source_files import SourceFiles
from renderer.yamlio.decode import decode_yaml11


def read_root(
    files: SourceFiles,
    folder: str,
    read_folder: ReadFolder,
    accumulate: Accumulate,
    completed: CompletedKustomization | None = None,
) -> KustomizationRoot:
    """The root in ``folder``. Raises ``DiagnosticError`` with all that is wrong in it and below it.

    ``completed`` is built in place of the kustomization file.
    """
    is_generated = completed is not None and completed.generated
    file = "" if is_generated else find_kustomization(files.fs, folder, files.restrictor)
    site = Site(completed.file if completed else file)
    text = files.fs.read(site.path) if completed is None else b""
    content = completed.content if completed else decode_yaml11(text, site.path)
    written = parse_completed(completed) if completed else parse_kustomization(content, site)
    entries = Entries(files, folder, site, read_folder, completed)
    plugins = Plugins(entries, accumulate)

    def read_data_entry(args: GeneratorArgs, _site: Site) -> DataGenerator:
        return read_data(args, entries.content)

    root = KustomizationRoot(
        folder=folder,
        kustomization=written,
        resources=entries.each("resources", written.resources, entries.resource)
        + entries.each("bases", written.bases, entries.resource),
        components=entries.each("components", written.components, entries.component),
        data_generators=entries.each("configMapGenerator", written.config_map_generator, read_data_entry)
        + entries.each("secretGenerator", written.secret_generator, read_data_entry),
        generators=plugins.generators(written.generators),
        transformers=plugins.transformers("transformers", written.transformers),
        validators=plugins.transformers("validators", written.validators),
        plugin_roots=tuple(plugins.roots),
        configurations=entries.each(
            "configurations",
            written.configurations,
            lambda path, at: read_field_spec_file(entries.document(path, at)),
        ),
        crds=entries.each("crds", written.crds, entries.document),
        open_api=entries.attempt(lambda: _open_api(written, entries), None),
        replacements=entries.attempt(lambda: load_replacements(written.replacements, entries), ()),
        patches=entries.each("patches", written.patches, entries.patch),
        patches_strategic_merge=entries.each(
            "patchesStrategicMerge", written.patches_strategic_merge, entries.strategic_merge
        ),
        patches_json6902=entries.each("patchesJson6902", written.patches_json6902, entries.json6902),
        warnings=(*deprecations(content, site), *ignored_documents(text, site.path)),
    )
    if entries.findings:
        # Two entries may lead to one mistake, and two to each of these: they would double with every level.
        raise DiagnosticError(*dict.fromkeys(entries.findings))
    return root


def _open_api(written: Kustomization, entries: Entries) -> OpenApi | None:
    """The author's schema or the version of a builtin one, not both (``openapi.go`` SetSchema)."""
    if not written.open_api:
        return None
    site = written.site.below("openapi")
    path, version = written.open_api.get("path"), written.open_api.get("version", "")
    if path is None:
        return OpenApi(site, None, version)
    if "version" in written.open_api:
        raise DiagnosticError(
            Diagnostic(
                code=Code.KUSTOMIZATION_FIELD,
                message="openapi has both path and version",
                sites=(site,),
                hint="remove one of them",
            )
        )
    return OpenApi(site, entries.document(path, site.below("path")))
