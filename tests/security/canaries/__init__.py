"""Repositories with a canary in each place that may hold a secret, in each form, and the search for it."""
