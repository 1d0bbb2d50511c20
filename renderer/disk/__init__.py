"""Files and folders opened so that what was checked is what is used, whatever is put in their place."""
