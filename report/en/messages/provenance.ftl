chapter_provenance = Provenance

what = what
known = value
column_value = value of the parameter
commit = commit
uncommitted = with uncommitted changes
no_git = none: not a git repository
no_commit = unknown: git names none
computed = first stage started
hardware = hardware
cores = { $count } cores
python = Python
parameter = parameter
default = committed default
this_run = here
texts = texts
licence_texts = licence of the texts
licence_model = licence of the model
not_stated = not stated
seed = seed
absent = not set
unchanged = none: every parameter has its committed value
stage = stage
seconds = seconds
memory = peak memory, MiB
size = output, MiB
record = record
restored = from cache
commands = commands
parameters = parameters
reads = reads
writes = writes
chapter = page
figures = figures and tables
tables = results read
module = drawn by
unlocked = not in dvc.lock
minutes = { $minutes } min { $seconds } s
run = run
kept = experiments
kept_of = { $name }: { $texts } texts{ $seeds ->
    [0] {""}
    [one] , one seed
   *[other] , { $seeds } seeds
}
time = minutes of all stages
otherwise = other numbers by today's code
nothing_otherwise = none
