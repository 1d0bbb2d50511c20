"""``vars``: ``$(NAME)`` in texts, deprecated in kustomize."""
