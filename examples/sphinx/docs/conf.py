project = "Guide"
extensions = ["sphinx.ext.autodoc"]
