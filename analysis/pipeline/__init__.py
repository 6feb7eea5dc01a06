"""How stages run: what they have in common, read, write and depend on."""
