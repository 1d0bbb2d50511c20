"""Composition: what ``kustomize build`` does, as a function from a ``SourceTree`` to resources.

``compose.Composer`` composes a tree; ``accumulate`` goes through its kustomizations from the inside out:
resources, generators, components, then the transformers in kustomize's own fixed order. What happens once,
at the end, is in ``Composer``: references to renamed resources, local objects, the order. The resources of
one kustomization are a ``ResMap`` while it is composed; all else is frozen, and content is copied on write.

A transformer is added with

1. one module in ``transformers/`` with a function ``transforms(context)`` that yields a ``Transform``, a
   function that changes a ``ResMap``, for each thing that the kustomization asks for, and
2. one line in ``builtin_transformers.BUILTIN_TRANSFORMERS``, at its place in the order.

What it works with: fields by path (``field_specs``), the builtin field specs (``default_field_specs``),
selectors (``selectors``), merging (``strategic_merge``, with the lists of ``merge_schema``), JSON 6902
(``json_patch``) and ids (``identity``: ids are compared with the namespace that counts).
"""
