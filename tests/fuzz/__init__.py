"""Whatever is read, it is used or it is a diagnostic: inputs made by hypothesis from seeds."""
