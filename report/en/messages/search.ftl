label = Search the report
found = Sections found: { $found }
