"""docs/validation.md holds: every row is within its tolerance now, and the document says what the program finds (tests/validation)."""

import os
import pathlib
import subprocess
import sys

source = pathlib.Path(os.environ["GRAZE_SOURCE_DIR"])
program = source / "tests" / "validation" / "validate.py"
sys.exit(subprocess.run([sys.executable, program, "--check", source / "docs" / "validation.md"]).returncode)
