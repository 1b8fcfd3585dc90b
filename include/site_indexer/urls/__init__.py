"""URLs: their one normalized form, document ids, and which of them belong to a site."""
