"""Planning: which blocks are new, and what they mean as one list of commands per action type.

``reading`` parses, ``selection`` chooses blocks, ``folding`` makes the plan, ``rules`` the rule
lists of its blocks, ``serialization`` its JSON forms (docs/spec/03-planning.md).
"""
