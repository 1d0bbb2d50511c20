"""The results of earlier runs, stored outside the repository; they only make a run faster."""
