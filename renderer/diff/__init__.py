"""What differs between two renderings, field by field, and what that does to running virtual machines."""
