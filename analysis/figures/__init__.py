"""What the report shows: one module a chapter, artifacts in, figures and tables out."""
