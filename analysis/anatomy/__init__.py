"""What the page *Anatomy* is made of: one text in a model of the run, and small models."""
