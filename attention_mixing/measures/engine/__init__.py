"""How measures are taken: what one is, who runs them, and what becomes of their values."""
