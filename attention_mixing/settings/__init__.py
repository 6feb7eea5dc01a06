"""What functions of the library are told, as typed, frozen sections, and what follows from it.

Unknown keys are refused, and numbers are never read out of strings.
"""
