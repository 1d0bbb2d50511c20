"""From what stages found to what is reported: located, masked, levelled and merged, in this package alone."""
