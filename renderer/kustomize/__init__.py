"""Composition: ``kustomize build`` as a function from a ``SourceTree`` to resources.

``kustomize.compose.Composer`` composes a tree. ``accumulate`` goes through its kustomizations from the inside
out: resources, generators, components, then the transformers in kustomize's own fixed order. ``Composer``
then runs the steps at the end of a build: references to renamed resources, local objects, the order. While a
kustomization is composed, its resources are a ``ResMap``; everything else is frozen, and content is copied
on write.

To add a transformer, write

1. a function in a module of ``transformers/`` that accepts the context and yields a ``Transform``, which
   changes a ``ResMap``, for each entry of the kustomization's field, and
2. a line in ``accumulate.BUILTIN_TRANSFORMERS``, at its place in the order.

Transformers use fields by path and the builtin field specs (``fields``), selectors (``selection``), patches
(``strategic_merge``, with the lists of ``merge_keys``, and ``json_patch``), references to names
(``name_references``) and ids (``identity``, which compares them with the effective namespace).
"""
