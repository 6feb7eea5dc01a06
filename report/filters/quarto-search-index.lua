-- Runs after Quarto has rendered a project, or a page of it: writes the index of the search.
dofile(pandoc.path.join { pandoc.path.directory(PANDOC_SCRIPT_FILE), "repository.lua" })("after")
