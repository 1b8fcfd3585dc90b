"""Sites: one website each, defined in one YAML file, typed and validated."""
