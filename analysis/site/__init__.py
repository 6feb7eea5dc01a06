"""Makes the site: what lies beside the pages, pages and PDFs of their sources, the search."""
