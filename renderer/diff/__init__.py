"""The difference between two renderings, field by field, and its effect on running virtual machines."""
