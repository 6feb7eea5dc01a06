"""The reference of the library, made of its signatures and docstrings."""

from analysis.api.page import reference

__all__ = ["reference"]
