"""One module for each target."""
