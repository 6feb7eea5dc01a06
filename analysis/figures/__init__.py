"""What the report draws: results in, figures and tables out, each with its data."""
