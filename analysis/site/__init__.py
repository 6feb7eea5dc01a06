"""Makes the site: what is laid out beside the pages, pages and PDF of their sources, the search."""
