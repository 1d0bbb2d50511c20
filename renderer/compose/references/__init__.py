"""Names that change, and what refers to them."""
