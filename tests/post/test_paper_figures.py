"""The plot commands of the papers' figures, on small runs of the program: what they draw is what the files hold; what they refuse is one line."""
import os
import pathlib
import subprocess
import sys
import unittest

import support  # first: it sets the path

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import sweeps  # noqa: E402

import h5py
from matplotlib.backends.backend_agg import FigureCanvasAgg
import matplotlib.image
import numpy as np

import grazedata
import plot_letter_fig4
import plot_paper_fig2
import plot_paper_fig3
import plot_paper_fig4
import plot_paper_fig5
import style

OPTIONS, FILES, PACKAGES = 64, 65, 69
PLOTS = (plot_letter_fig4, plot_paper_fig2, plot_paper_fig3, plot_paper_fig4, plot_paper_fig5)
SMALL = "-periods 14 -samples_per_period 400"
RUNS = {  # name: command, options
    "timoshenko": ("kernel", "-kernel_beam_points 20,40 -kernel_times 101"),
    "euler": ("kernel", "-beam_model euler_bernoulli -kernel_beam_points 20,40 -kernel_times 101"),
    "asymptotics": ("asymptotics", "-asymptotics_times 41"),
    "few": ("trajectory", f"{SMALL} -receptance_modes 3 -beam_points 20"),
    "reduced": ("trajectory", f"{SMALL} -receptance_modes 20"),
    "rigid": ("trajectory", f"{SMALL} -receptance_modes 10 -flow restitution"),
}


class Figures(support.SyntheticCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        runs = sweeps.Runs(cls.folder)
        for name, (command, options) in RUNS.items():
            done = runs.graze(command, "-quiet", "-output", cls.path(name), *options.split())
            if done.returncode:
                raise RuntimeError(f"graze {command} {options}: {done.stderr}")
        kernels, models = (cls.file("timoshenko"), cls.file("euler")), (cls.file("reduced"), cls.file("rigid"))
        cls.files = {plot_paper_fig2: kernels, plot_paper_fig3: models, plot_paper_fig4: models, plot_paper_fig5: (cls.file("asymptotics"),),
                     plot_letter_fig4: (cls.file("few"), cls.file("reduced"))}

    @classmethod
    def file(cls, name):
        return os.path.join(cls.path(name), RUNS[name][0] + ".h5")

    def axes(self, module, *arguments):
        """The figure as drawn, and its axes."""
        files = self.files[module]
        args = module.parse([*files, *arguments])
        opened = {plot_paper_fig2: grazedata.open_kernel, plot_paper_fig5: grazedata.open_asymptotics}.get(module, grazedata.open_trajectory)
        with style.context():
            fig = module.draw(*(opened(file) for file in files), args)
            canvas = FigureCanvasAgg(fig)
            canvas.draw()
        return fig, fig.axes

    def test_pictures(self):
        for module, files in self.files.items():
            path = self.path(f"{module.__name__}.png")
            code, out, err = self.call(module, *files, "--width", "column", "-o", path)
            self.assertEqual((code, err), (0, ""))
            self.assertEqual(out.splitlines()[0], path)
            self.assertIn("graze", out.splitlines()[1])
            self.assertEqual(out.splitlines()[1].count(" | "), len(files) - 1)
            pixels = matplotlib.image.imread(path)[..., :3]
            self.assertEqual(pixels.shape[1], round(style.WIDTH["column"] * style.DPI))
            self.assertGreater(np.mean(np.any(pixels < 0.98, axis=-1)), 0.03, path)  # frames and text alone are less than 0.02
        code, out, err = self.call(plot_paper_fig3, *self.files[plot_paper_fig3])
        self.assertEqual(code, 0, err)
        self.assertEqual(out.splitlines()[:2], [self.path(f"reduced/paper_fig3.{kind}") for kind in ("png", "pdf")])

    def test_every_text_is_inside(self):
        for module in PLOTS:
            for width in style.WIDTH:
                fig, axes = self.axes(module, "--width", width)
                for ax in axes:
                    boxes = [ax._left_title.get_window_extent()] + ([ax.get_legend().get_window_extent()] if ax.get_legend() else [])
                    for box in boxes:
                        self.assertTrue(box.x0 >= 0 and box.x1 <= fig.bbox.x1 and box.y1 <= fig.bbox.y1 and box.y0 >= 0, (module.__name__, width))

    def test_kernels(self):
        _, axes = self.axes(plot_paper_fig2)
        for ax, name, step in ((axes[0], "timoshenko", True), (axes[1], "euler", False)):
            with h5py.File(self.file(name)) as file:
                rows, tau = file["L1_bare_linear"][:, 1], file["tau_linear"][()]
                early = file["L1_bare_log"][:, 1]
            for line, row in zip(ax.get_lines()[1:], rows):
                self.assertTrue(np.array_equal(line.get_ydata(), row[tau <= plot_paper_fig2.SHOWN]), name)
            inset, = ax.child_axes
            self.assertTrue(np.array_equal(inset.get_lines()[1].get_ydata(), early[0, :len(inset.get_lines()[1].get_xdata())]))
            labels = [line.get_label() for line in inset.get_lines()]
            self.assertIn("$N = 40$", labels)
            self.assertEqual("$L_+$" in labels, step)

    def test_two_models(self):
        _, axes = self.axes(plot_paper_fig3)
        with h5py.File(self.file("rigid")) as file:
            y, v = file["displacement"][-801:], file["velocity"][-801:]
        line = axes[1].get_lines()[1]
        self.assertTrue(np.array_equal(line.get_xdata(), y) and np.array_equal(line.get_ydata(), v))
        self.assertEqual(axes[0].get_xlim(), (0, 12))
        self.assertAlmostEqual(axes[2].get_xlim()[1], 2)

    def test_contacts_are_counted_and_impacts_are_where_they_are(self):
        _, axes = self.axes(plot_paper_fig4)
        titles = " ".join(ax.get_title(loc="left") for ax in axes)
        self.assertIn("20 modes: 2 contacts", titles)
        self.assertIn("10 modes: 7 impacts", titles)  # docs/theory.md, section 12
        named = {ax.get_ylabel().split(" ")[0]: ax for ax in axes if "|y_2^-|" in ax.get_ylabel() or "force" in ax.get_ylabel()}
        with h5py.File(self.file("rigid")) as file:
            velocity = file["event_velocity"][()][file["event_type"][()] == 1][-7:]
        self.assertTrue(np.array_equal(named["impact"].get_lines()[0].get_ydata(), -velocity))
        with h5py.File(self.file("reduced")) as file:
            force = file["event_force"][()][file["event_type"][()] == 1][-2:]
        self.assertEqual([line.get_ydata()[0] for line in named["contact"].get_lines()[-2:]], force.tolist())

    def test_forces_on_a_logarithmic_scale(self):
        _, axes = self.axes(plot_letter_fig4)
        self.assertEqual([ax.get_yscale() for ax in axes[:2]], ["log", "log"])
        labels = [text.get_text() for text in axes[2].get_legend().get_texts()]
        self.assertEqual(labels, ["$N = 20$ (3 modes): 1 contact", "20 modes: 2 contacts"])

    def test_asymptotics(self):
        _, axes = self.axes(plot_paper_fig5)
        with h5py.File(self.file("asymptotics")) as file:
            force, speed, needed = file["force"][()], abs(file["velocity_before"][()]), file["modes_needed"][()]
            coefficient = file["coefficient"][:, np.argmin(np.abs(file["coefficient_time"][()] - 0.1))]
        for i, row in enumerate(force):
            self.assertTrue(np.array_equal(axes[1].get_lines()[2 * i].get_ydata(), row / speed))
            self.assertTrue(np.array_equal(axes[2].get_lines()[i].get_ydata(), needed[i]))
            self.assertTrue(np.array_equal(axes[0].get_lines()[i].get_ydata(), coefficient[i]))

    def complains(self, code, words, module, *arguments):
        found, out, err = self.call(module, *arguments)
        self.assertEqual((found, out, err.count("\n")), (code, "", 1), err)
        for word in words.split():
            self.assertIn(word, err)

    def test_complaints(self):
        for module, files in self.files.items():
            kind = {plot_paper_fig2: "kernel", plot_paper_fig5: "asymptotics"}.get(module, "trajectory")
            for place in range(len(files)):
                given = list(files)
                given[place] = self.sweep
                self.complains(FILES, f"this is a sweep file a {kind} file is needed", module, *given)
                given[place] = self.path("missing.h5")
                self.complains(FILES, "missing.h5 no such file", module, *given)
            self.complains(FILES, "non-dimensional SI", module, *files, "--si")
            self.complains(OPTIONS, "FILE", module, *files[1:])
        for module in (plot_paper_fig3, plot_paper_fig4):
            self.complains(FILES, "restitution flow exact or literal", module, *self.files[module][::-1])
        self.complains(FILES, "exact flow restitution", plot_paper_fig3, self.file("reduced"), self.file("reduced"))
        self.complains(FILES, "restitution flow", plot_letter_fig4, self.file("reduced"), self.file("rigid"))
        self.complains(OPTIONS, "--first", plot_paper_fig3, *self.files[plot_paper_fig3], "--first", 0)
        for module in (plot_paper_fig3, plot_paper_fig4, plot_letter_fig4):
            self.complains(OPTIONS, "--period", module, *self.files[module], "--period", 0)

    def test_a_motion_without_contact(self):
        runs = sweeps.Runs(self.folder)
        done = runs.graze("trajectory", "-quiet", "-output", self.path("free"), *f"{SMALL} -receptance_modes 5 -stop_position -3".split())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.complains(FILES, "no whole contact", plot_paper_fig4, self.path("free/trajectory.h5"), self.file("rigid"))

    def test_as_programs(self):
        for module in PLOTS:
            script = os.path.join(support.POSTPROCESS, module.__name__ + ".py")
            done = subprocess.run([sys.executable, "-S", "-E", "-B", script, "a.h5", "b.h5"], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, PACKAGES, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertTrue(os.access(script, os.X_OK) == os.access(os.path.join(support.POSTPROCESS, "plot_orbit.py"), os.X_OK))


if __name__ == "__main__":
    unittest.main(verbosity=0)
