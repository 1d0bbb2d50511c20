"""Turn findings of stages into reported ones: locate, mask, level and merge. No other package does."""
