"""The state of one run, in context variables: its limits, the work done, and confidential values."""
