"""What chapters draw with: results in, figures and tables out, each with its data."""
