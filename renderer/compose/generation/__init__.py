"""What generators make, and how it joins what is there."""
