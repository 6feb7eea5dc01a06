"""Chapter *claims*: its words, and the names of the chapters that claims lead to."""

# In the order of the pages.
CHAPTERS = (
    "index",
    "setup",
    "anatomy",
    "mixing",
    "features",
    "propagation",
    "geometry",
    "heads",
    "faithfulness",
    "claims",
)
