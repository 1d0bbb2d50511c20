"""Which resources a patch or replacement is for."""
