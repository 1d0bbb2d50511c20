"""The entry points of Flux CD and Argo CD in a Git tree, read as each of them reads them.

``flux`` has Kustomizations, ``argocd`` Applications and ApplicationSets, ``openshift_template`` Templates.
This stage says which files and which kustomization an entry point stands for, and what happens to the objects
afterwards; composing is done by ``pipeline.entry_points``.
"""
