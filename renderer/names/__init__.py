"""Names of instance types and preferences that change with what they hold, and all that refers to them."""
