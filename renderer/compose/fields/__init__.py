"""Fields by path: which ones a transformer visits, kustomize's own lists of them and configured ones."""
