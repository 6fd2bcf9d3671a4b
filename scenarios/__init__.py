"""The experiments, as data: YAML files and the pydantic models that read them."""
