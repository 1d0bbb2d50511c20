"""``replacements``: values copied from one field to others."""
