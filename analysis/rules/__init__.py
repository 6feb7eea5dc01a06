"""Published claims and what this run says of each: reading, finding evidence, judging."""
