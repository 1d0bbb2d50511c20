"""The files that ``vmrender init`` writes: a project, its first overlay, pre-commit hooks and a pipeline."""
