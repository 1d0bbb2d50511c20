"""The results of earlier runs, kept outside of the repository; they only make a run quicker."""
