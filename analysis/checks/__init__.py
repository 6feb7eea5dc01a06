"""What is checked before a run begins: whether all that it names can be used."""
