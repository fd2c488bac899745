"""What a person can mend is one line on stderr and an exit code, never a traceback."""
import os
import subprocess
import sys
import unittest

import support  # first: it sets the path

import h5py

import plot_bifurcation
import plot_orbit
import plot_period_map
import synthetic

OPTIONS, FILES, PACKAGES, IO = 64, 65, 69, 74


class Complaints(support.SyntheticCase):
    def complains(self, code, words, module, *arguments):
        found, out, err = self.call(module, *arguments)
        self.assertEqual(found, code, err)
        self.assertEqual(out, "")
        self.assertEqual(err.count("\n"), 1, err)
        for word in words.split():
            self.assertIn(word, err)

    def test_files(self):
        text = self.path("text.h5")
        with open(text, "w", encoding="ascii") as file:
            file.write("not HDF5\n")
        other = self.path("other.h5")
        with h5py.File(other, "w") as file:
            file["x"] = 1.0
        torn = self.path("torn.h5")
        with open(self.sweep, "rb") as whole, open(torn, "wb") as file:
            file.write(whole.read()[:100000])
        for module, right, wrong in ((plot_bifurcation, "sweep", self.trajectory), (plot_period_map, "sweep", self.trajectory),
                                     (plot_orbit, "trajectory", self.sweep)):
            self.complains(FILES, "missing.h5 no such file", module, self.path("missing.h5"))
            self.complains(FILES, "is a folder", module, self.folder)
            self.complains(FILES, "text.h5 not an HDF5 file", module, text)
            self.complains(FILES, "torn.h5 damaged", module, torn)
            self.complains(FILES, f"not a {right} file of graze", module, other)
            self.complains(FILES, f"a {right} file is needed", module, wrong)

    def test_unfinished_first_result_is_explained(self):
        with open(self.path("early.h5.partial"), "w", encoding="ascii"):
            pass
        self.complains(FILES, "no such file .partial", plot_bifurcation, self.path("early.h5"))

    def test_requests_the_file_cannot_meet(self):
        self.complains(FILES, "amplitude 99 outside 10 to 60", plot_bifurcation, self.sweep, "-a", 99)
        self.complains(FILES, "frequency 1 outside 4 to 40", plot_bifurcation, self.sweep, "-w", 1)
        self.complains(FILES, "non-dimensional SI", plot_bifurcation, self.sweep, "--si")
        self.complains(FILES, "non-dimensional SI", plot_orbit, self.trajectory, "--si")
        path = self.path("up.h5")
        synthetic.make_sweep(path, amplitudes=[30], directions=(1,))
        self.complains(FILES, "no sweep down, only up", plot_period_map, path, "-d", "down")

    def test_options(self):
        self.complains(OPTIONS, "-y", plot_bifurcation, self.sweep, "-y", "speed")
        self.complains(OPTIONS, "-a", plot_bifurcation, self.sweep, "-a", "x")
        self.complains(OPTIONS, ".png", plot_bifurcation, self.sweep, "-o", "out.bmp")
        self.complains(OPTIONS, "FILE", plot_orbit)
        self.complains(OPTIONS, "--last", plot_orbit, self.trajectory, "--last", 0)
        self.complains(OPTIONS, "--last", plot_orbit, self.trajectory, "--last", "nan")

    def test_output_that_cannot_be_written(self):
        self.complains(IO, "no/such/folder", plot_period_map, self.sweep, "-o", self.path("no/such/folder/out.png"))

    def test_incomplete_file_is_drawn_with_a_note(self):
        path, picture = self.path("pending.h5"), self.path("pending.png")
        truth = synthetic.make_sweep(path, complete=False)
        for module in (plot_bifurcation, plot_period_map):
            code, _, err = self.call(module, path, "-o", picture)
            self.assertEqual(code, 0)
            self.assertIn(f"{len(truth.frequency)} of {truth.status.size} cells are pending", err)
            self.assertTrue(os.path.exists(picture))

    def test_a_line_nothing_of_which_is_done(self):
        path = self.path("none.h5")
        synthetic.make_sweep(path, amplitudes=[30], directions=(1,), complete=False)
        for module in (plot_bifurcation, plot_period_map):
            code, _, err = self.call(module, path, "-o", self.path("none.png"))
            self.assertEqual(code, 0, err)

    def test_locked_file_is_explained(self):
        with h5py.File(self.sweep, "r+"):
            script = os.path.join(support.POSTPROCESS, "plot_period_map.py")
            environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1")
            environment.pop("HDF5_USE_FILE_LOCKING", None)
            done = subprocess.run([sys.executable, script, self.sweep], capture_output=True, text=True, env=environment, check=False)
        self.assertEqual(done.returncode, FILES, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn("HDF5_USE_FILE_LOCKING=FALSE", done.stderr)

    def test_python_without_packages(self):
        # -S leaves out site-packages, -E whatever PYTHONPATH adds: a bare Python, wherever this one keeps its packages.
        for name in ("plot_bifurcation", "plot_period_map", "plot_orbit"):
            script = os.path.join(support.POSTPROCESS, name + ".py")
            done = subprocess.run([sys.executable, "-S", "-E", "-B", script, self.sweep], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, PACKAGES, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertEqual(done.stderr, f"{name}.py: this Python ({sys.executable}) has no numpy, h5py, xarray, h5netcdf, matplotlib; "
                                          "use the one that ./quickstart names\n")

    def test_as_programs(self):
        for name in ("plot_bifurcation", "plot_period_map", "plot_orbit"):
            script = os.path.join(support.POSTPROCESS, name + ".py")
            done = subprocess.run([sys.executable, script, self.path("missing.h5")], capture_output=True, text=True, check=False,
                                  env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"))
            self.assertEqual(done.returncode, FILES)
            self.assertEqual(done.stderr, f"{name}.py: {self.path('missing.h5')}: no such file\n")


if __name__ == "__main__":
    unittest.main(verbosity=0)
