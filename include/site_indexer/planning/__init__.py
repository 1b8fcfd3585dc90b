"""Planning: which blocks are new, and what they mean as one list of commands per action type."""
