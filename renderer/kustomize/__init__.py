"""Composition: ``kustomize build`` as a function from a ``SourceTree`` to resources.

``kustomize.compose.Composer`` composes a tree; ``accumulate`` goes through its kustomizations from the inside
out: resources, generators, components, then the transformers in kustomize's own fixed order. What happens
once, at the end, is in ``Composer``: references to renamed resources, local objects, the order. The resources
of one kustomization are a ``ResMap`` while it is composed; everything else is frozen, and content is copied
on write.

A transformer is added with

1. a function in a module of ``transformers/`` that takes the context and yields a ``Transform``, which
   changes a ``ResMap``, for each entry of the kustomization's field, and
2. a line in ``accumulate.BUILTIN_TRANSFORMERS``, at its place in the order.

It works with fields by path and the builtin field specs (``fields``), selectors (``selection``), patches
(``strategic_merge``, with the lists of ``merge_keys``, and ``json_patch``), references to names
(``name_references``) and ids (``identity``, which compares them with the namespace that counts).
"""
