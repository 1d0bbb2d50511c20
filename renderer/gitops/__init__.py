"""The entry points of Flux CD and Argo CD in a Git tree, read as each engine reads them.

``flux`` reads Kustomizations, ``argocd`` Applications and ApplicationSets, ``openshift_template`` Templates.
This stage says which files and which kustomization an entry point renders, and how the objects change
afterwards; ``pipeline.entry_points`` composes them.
"""
