"""support - what the tests of postprocess share: where the scripts are, a temporary folder with synthetic files, one call of a script."""
import contextlib
import io
import os
import sys
import tempfile
import unittest

SOURCE = os.environ.get("GRAZE_SOURCE_DIR") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
POSTPROCESS = os.path.join(SOURCE, "postprocess")
sys.dont_write_bytecode = True  # the tree stays as it was
sys.path[:0] = [POSTPROCESS, os.path.join(SOURCE, "tests", "post")]

import cli  # noqa: E402
import synthetic  # noqa: E402


class SyntheticCase(unittest.TestCase):
    """A TestCase with self.sweep, self.trajectory (paths), self.truth, self.orbit (their contents) and self.folder."""

    si = False

    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory()
        cls.folder = cls._folder.name
        cls.sweep, cls.trajectory = cls.path("sweep.h5"), cls.path("trajectory.h5")
        cls.truth = synthetic.make_sweep(cls.sweep, si=cls.si, seam=40)
        cls.orbit = synthetic.make_trajectory(cls.trajectory, si=cls.si)

    @classmethod
    def tearDownClass(cls):
        cls._folder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    def call(self, module, *arguments):
        """(exit code, stdout, stderr) of module.main as the command line would give it."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = cli.run(module.main, [str(a) for a in arguments])
            except SystemExit as stop:
                code = stop.code
        return code, out.getvalue(), err.getvalue()
