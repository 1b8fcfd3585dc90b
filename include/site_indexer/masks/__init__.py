"""URL masks and ordered rule lists: the first rule that matches decides, and says why."""
