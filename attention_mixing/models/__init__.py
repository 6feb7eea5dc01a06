"""Models: where they come from, how they are loaded, fine-tuned and asked.

Embedded, hub and local models go through the same functions; whatever the source, it ends as a
directory of safetensors and JSON files on this machine.
"""
