"""Strategic merge and JSON 6902 patches."""
