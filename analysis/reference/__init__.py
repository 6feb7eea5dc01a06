"""Keeps a run as a reference, and verifies a run against one."""
