"""How stages run: what they read, write and depend on."""
