-- Runs before Quarto renders a project: lays the results of the run out beside the pages.
dofile(pandoc.path.join { pandoc.path.directory(PANDOC_SCRIPT_FILE), "repository.lua" })("before")
