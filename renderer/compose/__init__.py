"""Composition: ``kustomize build`` as a function from a ``SourceTree`` to resources.

``compose.Composer`` composes a tree; ``accumulate`` goes through its kustomizations from the inside out:
resources, generators, components, then the transformers in kustomize's own fixed order. What happens once,
at the end, is in ``Composer``: references to renamed resources, local objects, the order. The resources of
one kustomization are a ``ResMap`` while it is composed; all else is frozen, and content is copied on write.

A transformer is added with

1. one module in ``transformers/`` with a function ``transforms(context)`` that yields a ``Transform``, a
   function that changes a ``ResMap``, for each thing that the kustomization asks for, and
2. one line in ``builtin_transformers.BUILTIN_TRANSFORMERS``, at its place in the order.

What it works with: fields by path and the builtin field specs (``fields``), selectors (``selection``),
patches (``patching``, with the lists of ``merge_keys``), names and what refers to them (``references``) and
ids (``identity``: they are compared with the namespace that counts).
"""
