"""The plot commands draw what is in the file, in every format."""
import os
import unittest
import xml.etree.ElementTree as xml

import support  # first: it sets the path

from matplotlib.backends.backend_agg import FigureCanvasAgg
import matplotlib.colors
import matplotlib.image
import numpy as np

import grazedata
import plot_bifurcation
import plot_orbit
import plot_period_map
import style
import synthetic


def near(pixels, colour, tolerance=0.02):
    """Which pixels have the colour, up to the rounding of 8 bits and the blending of an edge."""
    return np.all(np.abs(pixels[..., :3] - matplotlib.colors.to_rgb(colour)) < tolerance, axis=-1)


def ink(path):
    """(share of pixels that are not white, the pixels) of a PNG."""
    pixels = matplotlib.image.imread(path)
    return np.mean(~near(pixels, "white")), pixels


def on_screen(fig):
    """The pixels of a figure, row 0 at the bottom."""
    canvas = FigureCanvasAgg(fig)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[::-1] / 255.0


class Pictures(support.SyntheticCase):
    si = True

    def draw(self, module, *arguments):
        code, out, err = self.call(module, *arguments)
        self.assertEqual(code, 0, err)
        return out, err

    def test_every_format_is_written_and_not_blank(self):
        for module, file in ((plot_bifurcation, self.sweep), (plot_period_map, self.sweep), (plot_orbit, self.trajectory)):
            paths = [self.path(f"{module.__name__}.{kind}") for kind in style.FORMATS]
            out, _ = self.draw(module, file, "-o", *paths)
            self.assertEqual(out.splitlines()[:3], paths)
            self.assertIn("graze 0.1.0", out.splitlines()[3])
            share, pixels = ink(paths[0])
            self.assertGreater(share, 0.03, module.__name__)  # frames and text alone are less than 0.02
            self.assertEqual(pixels.shape[1], 7.0 * style.DPI)
            with open(paths[1], "rb") as pdf:
                text = pdf.read()
            self.assertTrue(text.startswith(b"%PDF") and text.rstrip().endswith(b"%%EOF"))
            self.assertIn(b"/FontFile2", text)  # letters stay letters
            if module is not plot_orbit:
                self.assertIn(b"/Subtype /Image", text)  # points and cells are rasterised
                self.assertLess(len(text), 300e3)
            root = xml.parse(paths[2]).getroot()
            self.assertGreater(sum(1 for _ in root.iter("{http://www.w3.org/2000/svg}path")), 20)

    def test_default_names_stand_beside_the_file(self):
        for arguments, stem in (([self.sweep, "-a", 30], "bifurcation"),
                                ([self.sweep, "-y", "contact_phase"], "bifurcation_contact_phase")):
            self.draw(plot_bifurcation, *arguments)
            for kind in ("png", "pdf"):
                self.assertTrue(os.path.exists(self.path(f"{stem}.{kind}")))

    def test_all_values_widths_and_units(self):
        for value in sorted(plot_bifurcation.VALUES):
            path = self.path(f"{value}.png")
            self.draw(plot_bifurcation, self.sweep, "-a", 7500, "-y", value, "--width", "column", "--si", "-o", path)
            share, pixels = ink(path)
            self.assertGreater(share, 0.04, value)
            self.assertEqual(pixels.shape[1], round(3.4 * style.DPI))
            for name in ("up", "down"):
                self.assertGreater(np.count_nonzero(near(pixels, style.DIRECTION[name])), 1000, f"{value} {name}")
        self.draw(plot_bifurcation, self.sweep, "-w", 13, "-o", self.path("along.png"))
        for arguments in (["-d", "down"], ["--contacts"], ["--contacts", "--width", "column"], ["--si", "--width", "column"]):
            path = self.path("map.png")
            self.draw(plot_period_map, self.sweep, "-o", path, *arguments)
            self.assertGreater(ink(path)[0], 0.3)
        self.draw(plot_orbit, self.trajectory, "--last", 1.5, "--width", "column", "--si", "-o", self.path("orbit.png"))

    def test_only_what_is_there(self):
        # One direction, one amplitude, one frequency: nothing of the other colour, nothing divided by a width of zero.
        path, picture = self.path("one.h5"), self.path("one.png")
        synthetic.make_sweep(path, amplitudes=[30], directions=(1,))
        self.draw(plot_bifurcation, path, "-o", picture)
        self.assertEqual(np.count_nonzero(near(ink(picture)[1], style.DIRECTION["down"])), 0)
        self.draw(plot_period_map, path, "-o", picture)
        synthetic.make_sweep(path, amplitudes=[30], frequencies=[13.0])
        self.draw(plot_bifurcation, path, "-o", picture)
        self.draw(plot_period_map, path, "-o", picture)

    def test_every_cell_has_the_colour_of_its_code(self):
        with grazedata.open_sweep(self.sweep) as ds, style.context():
            args = plot_period_map.parse([self.sweep, "-d", "up"])
            fig, _ = plot_period_map.draw(ds, args)
            plane = grazedata.period_map(grazedata.at_direction(ds, "up"))
            pixels = on_screen(fig)
            greys = {grazedata.CODE_APERIODIC: style.APERIODIC, grazedata.CODE_NOT_SETTLED: style.NOT_SETTLED,
                     grazedata.CODE_CHAOTIC: style.CHAOTIC, grazedata.CODE_QUASI_PERIODIC: style.QUASI_PERIODIC,
                     grazedata.CODE_FAILED: style.FAILED}
            wrong, looked = 0, 0
            width, height = np.diff(self.truth.frequency)[0], np.diff(self.truth.amplitude)[0]
            for i, j in np.ndindex(plane.value.shape):
                code = plane.value[i, j]
                if code == grazedata.CODE_CONTACT_FREE:
                    continue
                # near the lower left and upper right corners too: a plane shifted by half a cell would show
                for s in (0.15, 0.5, 0.85):
                    point = (self.truth.frequency[j] + (s - 0.5) * width, self.truth.amplitude[i] + (s - 0.5) * height)
                    column, row = fig.axes[0].transData.transform(point).astype(int)
                    looked += 1
                    wrong += not near(pixels[row, column], style.period_colour(code) if code > 0 else greys[code])
        self.assertGreater(looked, 1000)
        self.assertLess(wrong, 0.03 * looked)  # what the numbers, the grazing curve and the frame cover

    def test_legend_stays_clear_of_the_data(self):
        for module, arguments in ((plot_bifurcation, [self.sweep, "-a", "35"]),
                                  (plot_bifurcation, [self.sweep, "-a", "35", "--width", "column"]),
                                  (plot_period_map, [self.sweep]), (plot_period_map, [self.sweep, "--contacts"])):
            with grazedata.open_sweep(self.sweep) as ds, style.context():
                fig, _ = module.draw(ds, module.parse(arguments))
                on_screen(fig)
                legends = [ax.get_legend() for ax in fig.axes if ax.get_legend()]
                self.assertEqual(len(legends), 1)
                box = legends[0].get_window_extent()
                for ax in fig.axes:
                    self.assertFalse(box.overlaps(ax.bbox), arguments)
                    if ax.title.get_text():
                        self.assertFalse(box.overlaps(ax.title.get_window_extent()), arguments)
                    right = ax.get_title(loc="right")
                    if right:
                        self.assertFalse(box.overlaps(ax._right_title.get_window_extent()), arguments)
                self.assertGreaterEqual(box.x0, 0)
                self.assertLessEqual(box.x1, fig.bbox.x1)
                self.assertLessEqual(box.y1, fig.bbox.y1)

    def test_orbit_says_what_it_shows(self):
        cases = (([], "time (all 4 forcing periods)", "$A = 30$ $L/t_0^2$, $W = 13$ $\\mathrm{rad}/t_0$, $D = 0.1$"),
                 (["--last", "1.5", "--si"], "time (last 1.5 of 4 forcing periods)",
                  "$A = 7500$ $\\mathrm{m/s^2}$, $W = 650$ $\\mathrm{rad/s}$, $D = 0.1$"))
        for width in ("page", "column"):
            for arguments, time, title in cases:
                with grazedata.open_trajectory(self.trajectory) as ds, style.context():
                    fig, _ = plot_orbit.draw(ds, plot_orbit.parse([self.trajectory, "--width", width, *arguments]))
                    on_screen(fig)
                    top = fig.axes[0]
                    self.assertEqual((top.get_xlabel(), top.get_title(loc="right")), (time, title))
                    box = top._right_title.get_window_extent()
                    self.assertTrue(box.x0 >= 0 and box.x1 <= fig.bbox.x1 and box.y1 <= fig.bbox.y1, width)

    def test_force_jumps_upright_at_the_onset(self):
        contact = grazedata.Contact(0.35, 0.45, -1.5, 57.0)
        time = np.linspace(0, 1, 21)  # a sample falls on the onset and on the release, up to round-off
        time, force = plot_orbit.force_curve(time, np.where((time >= 0.35 - 1e-12) & (time < 0.45), 20.0, 0.0), [contact])
        self.assertTrue(np.all(np.diff(time) >= 0))
        at = np.flatnonzero(time == 0.35)
        self.assertEqual(force[at].tolist(), [0.0, 57.0])
        self.assertEqual(force[time == 0.45].tolist(), [0.0])
        self.assertEqual(len(time), 21 - 2 + 3)


if __name__ == "__main__":
    unittest.main(verbosity=0)
