-- Runs a step of analysis/site/layout.py for a project within the repository, with the environment
-- that `make` has made, be it active or not. A copy that the stage `report` has laid out is complete.

local function exists(name)
  local file = io.open(name)
  return file and file:close()
end

return function(step)
  local root = "../.."
  if not exists(root .. "/dvc.yaml") then
    return
  end
  local environment = exists(root .. "/.venv/bin/python") and ".venv"
    or os.getenv("VIRTUAL_ENV") or ""
  if environment == "" then
    io.stderr:write("error: there is no environment in .venv; run `make repro` first.\n")
    os.exit(2)
  end
  local language = pandoc.path.filename(pandoc.system.get_working_directory())
  local done = os.execute(('cd %s && "%s/bin/python" -m analysis.site.layout %s %s'):format(
    root, environment, language, step))
  if not done then
    os.exit(2)
  end
end
