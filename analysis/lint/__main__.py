"""``python -m analysis.lint``: lint what is written; the exit code is 1 if anything is found."""

import sys

from analysis.lint.written import main

sys.exit(main())
