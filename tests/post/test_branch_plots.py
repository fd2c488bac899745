"""Branches are drawn as they are in the file: where they are stable, where that changes, what is marked; complaints are one line."""
import os
import unittest

import support  # first: it sets the path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import EllipseCollection, LineCollection, PathCollection, PolyCollection
import h5py
import matplotlib.colors
import matplotlib.image
import numpy as np

import branchdata
import grazedata
import plot_bifurcation
import plot_branches
import plot_multipliers
import style
import synthetic
import synthetic_branches
from test_style_colours import VISION, cielab

OPTIONS, FILES, IO = 64, 65, 74
# x of the special points of the synthetic branches: exact, of the closed form of its parameter
AT = {kind: synthetic_branches.parameter_at(s, "frequency") for s, kind, _ in synthetic_branches.ALONG}


class BranchCase(support.SyntheticCase):
    si = True

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.file = cls.path("branches.h5")
        cls.branches = synthetic_branches.make_branches(cls.file, si=True)

    def figure(self, module, *arguments):
        """The Figure of a command, not laid out yet, and its notes."""
        args = module.parse([str(a) for a in arguments])
        paths = [args.file, *getattr(args, "more", [])]
        files = [branchdata.open_branches(path) for path in paths]
        try:
            with style.context():
                fig, notes = module.draw(files if module is plot_branches else files[0], args)
        finally:
            for ds in files:
                ds.close()
        return fig, notes


class Curves(BranchCase):
    def curves(self, measure, path=None):
        with branchdata.open_branches(path or self.file) as ds:
            return branchdata.curves(ds, measure)

    def test_nodes_lie_on_the_branch_in_its_order(self):
        for measure, which in (("strobe_displacement", 0), ("strobe_velocity", 1)):
            for curve, truth in zip(self.curves(measure), self.branches):
                s = np.sort(np.concatenate([truth.s, [at for at, _ in truth.special]]))
                self.assertEqual(curve.period, truth.period)
                np.testing.assert_allclose(curve.x, synthetic_branches.parameter_at(s, "frequency"), rtol=1e-12)
                # special points too have the value of the closed form, which is not that between their neighbours
                np.testing.assert_allclose(curve.value, synthetic_branches.strobes_at(s, truth.period)[which], rtol=1e-12)
                self.assertEqual([p.type for p in curve.special], [kind for _, kind in truth.special])
                for p in curve.special:
                    self.assertEqual(curve.x[p.node], p.x)
                    np.testing.assert_array_equal(curve.value[p.node], p.value)

    def test_stability_changes_at_special_points(self):
        first, second = self.curves("strobe_displacement")
        node = {p.type: p.node for p in first.special}
        expected = np.ones(len(first.x) - 1, int)
        expected[node[synthetic_branches.DOUBLING]:node[synthetic_branches.BRANCH_POINT]] = -1
        # one point before the branch point is undecided: so are the pieces to both sides of it
        expected[node[synthetic_branches.BRANCH_POINT] - 2:node[synthetic_branches.BRANCH_POINT]] = 0
        np.testing.assert_array_equal(first.verdict, expected)
        # The second begins at a doubling, where its verdict is 0 and says nothing of what follows.
        at = second.special[0].node
        np.testing.assert_array_equal(second.verdict, np.where(np.arange(len(second.x) - 1) < at, 1, -1))

    def test_what_nothing_tells_is_undecided(self):
        path = self.path("bare.h5")
        synthetic_branches.make_branches(path, special=False)
        first, second = self.curves("strobe_displacement", path)
        for curve, truth in zip((first, second), self.branches):
            a, b = truth.verdict[:-1].copy(), truth.verdict[1:]
            if truth.period == 2:
                a[0] = b[0]
            np.testing.assert_array_equal(curve.verdict, np.where(a == b, a, 0))
        self.assertIn(0, second.verdict)

    def test_pieces_between_special_points(self):
        # (verdicts of points, number of the point before each special one) -> verdicts of the pieces
        for verdict, before, expected in (
                ([1, -1], [0, 0], [1, 0, -1]), ([1, 1], [0, 0], [1, 1, 1]), ([1, -1], [], [0]), ([1, 0, -1], [1], [0, 0, -1]),
                ([1, -1], [0, 1], [1, -1, -1]), ([1, -1], [-1, 0], [1, 1, -1]), ([1, 1], [1, 1], [1, 1, 0]), ([-1], [], []),
                ([-1], [-1, -1, 0], [0, -1, -1])):
            found = branchdata._pieces(np.array(verdict), np.array(before, int), (1, 1))
            self.assertEqual(found.tolist(), expected, (verdict, before))
        for end, expected in (((8, 1), [1, 0]), ((1, 10), [0, 1]), ((8, 10), [1, 1]), ((1, 1), [0, 0])):
            self.assertEqual(branchdata._pieces(np.array([0, 1, 0]), np.array([], int), end).tolist(), expected, end)

    def test_scalars_at_special_points(self):
        first, _ = self.curves("peak_force")
        # linear in the arclength, so linear interpolation is exact up to round-off
        np.testing.assert_allclose([p.value[0] for p in first.special], [50 + 10 * s for s, _, _ in synthetic_branches.ALONG], rtol=1e-12)
        self.assertEqual(first.value.shape, (len(first.x), 1))

    def test_gap_is_not_joined_across_a_change_of_contacts(self):
        first, _ = self.curves("min_gap")
        broken = [p for p in first.special if np.isnan(first.value[p.node, 0])]
        self.assertEqual([p.type for p in broken], [5, 7, 6, 8])
        onset = broken[0]
        self.assertEqual(onset.value[0], min(first.value[onset.node - 1, 0], first.value[onset.node + 1, 0]))
        self.assertLess(onset.value[0], 0.01)  # 0.03 beyond it
        self.assertTrue(np.all(np.isnan(self.curves("min_force")[0].value)))

    def test_a_branch_without_points_is_left_out(self):
        path = self.path("empty.h5")
        synthetic_branches.make_branches(path, empty=True)
        self.assertEqual([c.branch for c in self.curves("max_displacement", path)], [0, 1])
        with branchdata.open_branches(path) as ds:
            self.assertEqual(branchdata.end_reasons(ds, 2), ("no orbit of period 1 was found at the start",) * 2)
            self.assertEqual(branchdata.end_reasons(ds, 1), ("the period doubles", "the bound is reached"))

    def test_critical_multipliers(self):
        pair = np.array([1.5, np.exp(0.5j), np.exp(-0.5j), -0.9, 1.1, np.nan])
        for kind, expected in ((1, [4]), (2, [3]), (3, [1, 2]), (4, [4]), (5, [0]), (8, [0])):
            self.assertEqual(branchdata.critical(kind, pair), expected, kind)
        self.assertEqual(branchdata.critical(1, np.array([np.nan, 3.0])), [1])

    def test_caption_leaves_out_what_was_continued(self):
        for parameter, gone, kept in (("stop_position", "y_s", "D = "), ("damping_ratio", "D = ", "y_s"), ("frequency", "W = ", "y_s")):
            path = self.path(f"caption_{parameter}.h5")
            synthetic_branches.make_branches(path, parameter=parameter)
            with branchdata.open_branches(path) as ds:
                self.assertEqual(branchdata.continued(ds), parameter)
                self.assertNotIn(gone, branchdata.caption(ds))
                self.assertIn(kept, branchdata.caption(ds))


def lines_of(ax, verdict):
    """The lines drawn with the dashes of a verdict."""
    wanted = style.VERDICTS[verdict][0]
    pattern = (0, None) if wanted == "-" else (wanted[0], list(wanted[1]))
    return [line for line in ax.get_lines() if line.get_linestyle() != "None" and line.get_marker() == "None"
            and (line._unscaled_dash_pattern[0], line._unscaled_dash_pattern[1] and list(line._unscaled_dash_pattern[1])) == pattern]


def marks_of(ax, kind):
    """x of all markers that have the shape and colour of a type of special points."""
    colour, marker, _ = style.SPECIALS[kind]
    found = [line.get_xdata() for line in ax.get_lines() if line.get_marker() == marker and line.get_markerfacecolor() == colour]
    return np.concatenate(found) if found else np.array([])


def labels(legend):
    return [text.get_text() for text in legend.get_texts()]


class BranchPictures(BranchCase):
    def test_dashes_begin_and_end_at_special_points(self):
        fig, notes = self.figure(plot_branches, self.file)
        self.assertEqual(notes, [])
        ax = fig.axes[0]
        grey, purple = style.LINES[:2]

        def ends(verdict, colour):
            return sorted((line.get_xdata()[0], line.get_xdata()[-1]) for line in lines_of(ax, verdict) if line.get_color() == colour)

        low, last = (synthetic_branches.parameter_at(s, "frequency") for s in (0, 1))
        pd, bp = AT[synthetic_branches.DOUBLING], AT[synthetic_branches.BRANCH_POINT]
        doubled = synthetic_branches.parameter_at(0.5, "frequency")
        np.testing.assert_allclose(ends(1, grey), [(low, pd), (bp, last)], rtol=1e-12)
        self.assertEqual(len(ends(-1, grey)), 1)
        self.assertEqual(ends(-1, grey)[0][0], ends(1, grey)[0][1])
        np.testing.assert_allclose([e[1] for e in ends(0, grey)], bp, rtol=1e-12)
        self.assertEqual(ends(0, grey)[0][0], ends(-1, grey)[0][1])  # no hole between dashes and dots
        # period 2: two lines of each
        np.testing.assert_allclose(ends(1, purple), [(pd, doubled)] * 2, rtol=1e-12)
        self.assertEqual([e[0] for e in ends(-1, purple)], [ends(1, purple)[0][1]] * 2)
        self.assertEqual(ends(0, purple), [])

    def test_markers_by_type(self):
        ax = self.figure(plot_branches, self.file)[0].axes[0]
        for kind, x in AT.items():
            expected = [x] if kind != synthetic_branches.DOUBLING else [x] + [synthetic_branches.parameter_at(0.5, "frequency")] * 2
            np.testing.assert_allclose(sorted(marks_of(ax, kind)), sorted(expected), rtol=1e-12, err_msg=style.SPECIALS[kind][2])
        colour = {kind: matplotlib.colors.to_hex(style.SPECIALS[kind][0]) for kind in range(1, 9)}
        red, green, blue = (np.array([matplotlib.colors.to_rgb(colour[k])[c] for k in range(1, 9)]) for c in range(3))
        self.assertEqual(colour[1], "#000000")
        self.assertTrue(green[1] > 1.5 * max(red[1], blue[1]), "period doubling is green")
        self.assertTrue(red[2] > green[2] > 0.3 and blue[2] < 0.1, "Neimark-Sacker is orange")
        self.assertTrue(blue[3] > 1.5 * max(red[3], green[3]), "branch point is blue")
        self.assertTrue(np.all(red[4:] > 3 * np.maximum(green, blue)[4:]), "grazing is red")
        self.assertEqual(len({style.SPECIALS[kind][1] for kind in range(1, 9)}), 8)  # shapes

    def test_names_of_types_are_those_of_the_file(self):
        with branchdata.open_branches(self.file) as ds:
            names = ds["special_type"].attrs["flag_meanings"].split()
        self.assertEqual(len(names), len(style.SPECIALS))
        for name, (_, _, words) in zip(names, style.SPECIALS):
            for part in name.split("_"):
                self.assertIn(part[:4], words.lower().replace("-", " "), name)
        self.assertEqual(names.index("grazing_release"), branchdata.GRAZING_RELEASE)

    def test_legend_has_only_what_is_there(self):
        every = ["period 1", "period 2", "stable", "unstable", "undecided"] + [words for _, _, words in style.SPECIALS[1:]]
        fig, _ = self.figure(plot_branches, self.file)
        self.assertEqual(labels(fig.axes[0].get_legend()), every)
        self.assertEqual(fig.axes[0].get_legend().get_title().get_text(), "$A = 30$ $L/t_0^2$")
        fig, _ = self.figure(plot_branches, self.file, "--over", self.sweep)
        self.assertEqual(labels(fig.axes[0].get_legend()), every + ["sweep"])
        path = self.path("few.h5")
        synthetic_branches.make_branches(path, special=False, n=2)
        fig, _ = self.figure(plot_branches, path)
        self.assertEqual(labels(fig.axes[0].get_legend()), ["period 1", "period 2", "unstable", "undecided"])

    def test_legend_stays_clear_of_the_data(self):
        for width in ("page", "column"):
            for module, arguments in ((plot_branches, ["--over", self.sweep]), (plot_multipliers, [])):
                fig, _ = self.figure(module, self.file, "--width", width, *arguments)
                with style.context():
                    FigureCanvasAgg(fig).draw()
                legend = next(ax.get_legend() for ax in fig.axes if ax.get_legend())
                box = legend.get_window_extent()
                for ax in fig.axes:
                    if ax.axison:
                        self.assertFalse(box.overlaps(ax.bbox), (module.__name__, width))
                        self.assertFalse(box.overlaps(ax.yaxis.label.get_window_extent()), (module.__name__, width))
                for ax in fig.axes[0].child_axes:
                    self.assertFalse(box.overlaps(ax.get_tightbbox()), (module.__name__, width))
                self.assertTrue(box.x0 >= 0 and box.x1 <= fig.bbox.x1 and box.y1 <= fig.bbox.y1, (module.__name__, width))

    def test_sweep_lies_under_the_branches(self):
        row = int(np.argmin(np.abs(self.truth.amplitude - 30)))
        for measure, name in (("strobe_displacement", None), ("max_displacement", "max_displacement")):
            ax = self.figure(plot_branches, self.file, "--over", self.sweep, "-y", measure)[0].axes[0]
            dots = [line for line in ax.get_lines() if line.get_color() == style.SAMPLES]
            self.assertEqual(len(dots), 2)  # up and down
            for line, direction in zip(dots, (0, 1)):
                stored = getattr(self.truth, measure)[direction, row]
                kept = np.isfinite(stored)
                x = np.broadcast_to(self.truth.frequency.reshape(-1, *[1] * (stored.ndim - 1)), stored.shape)
                np.testing.assert_array_equal(line.get_ydata(), stored[kept])
                np.testing.assert_array_equal(line.get_xdata(), x[kept])
            self.assertLess(max(d.get_zorder() for d in dots), min(l.get_zorder() for l in ax.get_lines() if l not in dots))

    def test_si_scales_both_axes(self):
        plain, si = (self.figure(plot_branches, self.file, "--over", self.sweep, *more)[0].axes[0] for more in ((), ("--si",)))
        self.assertIn("rad/s", si.get_xlabel())
        self.assertIn("mm", si.get_ylabel())
        for a, b in zip(plain.get_lines(), si.get_lines()):  # /scales: length 0.1 m, time 0.02 s
            np.testing.assert_allclose(b.get_xdata(), np.asarray(a.get_xdata()) / 0.02, rtol=1e-12)
            np.testing.assert_allclose(b.get_ydata(), np.asarray(a.get_ydata()) * 100, rtol=1e-12)

    def test_choice_by_a_fixed_value(self):
        path = self.path("several.h5")
        synthetic_branches.make_branches(path, amplitudes=(20.0, 30.0, 45.0), si=True)
        fig, notes = self.figure(plot_branches, path)
        self.assertEqual(len(marks_of(fig.axes[0], synthetic_branches.FOLD)), 3)
        self.assertEqual(notes, ["branches of several values of amplitude are drawn together, 20, 30, 45; --amplitude chooses one"])
        self.assertEqual(fig.axes[0].get_legend().get_title().get_text(), "")
        for arguments in (["--amplitude", 30], ["-a", 7500, "--si"], ["-a", 30, "--stop-position", -0.05, "--damping-ratio", 0.1]):
            fig, notes = self.figure(plot_branches, path, *arguments)
            self.assertEqual((len(marks_of(fig.axes[0], synthetic_branches.FOLD)), notes), (1, []))
        other = self.path("other.h5")
        synthetic_branches.make_branches(other, amplitudes=(40.0,), complete=False)
        fig, notes = self.figure(plot_branches, self.file, other)
        self.assertEqual(len(marks_of(fig.axes[0], synthetic_branches.FOLD)), 2)
        self.assertIn(f"{other}: the run is not complete", notes[0])
        self.assertIn("30, 40", notes[1])

    def test_every_parameter_measure_width_and_format(self):
        for parameter, symbol in (("amplitude", "$A$"), ("frequency", "$W$"), ("stop_position", "$y_s$"), ("damping_ratio", "$D$")):
            path = self.path(f"{parameter}.h5")
            synthetic_branches.make_branches(path, parameter=parameter)
            self.assertIn(symbol, self.figure(plot_branches, path)[0].axes[0].get_xlabel())
        self.assertEqual(set(plot_branches.LABELS), set(branchdata.MEASURES))
        for measure in branchdata.MEASURES:
            ax = self.figure(plot_branches, self.file, "-y", measure, "--width", "column")[0].axes[0]
            self.assertIn(plot_branches.LABELS[measure], ax.get_ylabel())
        for module in (plot_branches, plot_multipliers):
            paths = [self.path(f"{module.__name__}.{kind}") for kind in style.FORMATS]
            code, out, err = self.call(module, self.file, "-o", *paths)
            self.assertEqual((code, out.splitlines()[:3], err), (0, paths, ""))
            self.assertIn("graze 0.1.0", out.splitlines()[3])
            pixels = matplotlib.image.imread(paths[0])
            self.assertEqual(pixels.shape[1], 7.0 * style.DPI)
            self.assertGreater(np.mean(np.any(pixels[..., :3] < 0.98, axis=-1)), 0.02)

    def test_default_names(self):
        for module, arguments, stem in ((plot_branches, [], "branches"), (plot_branches, ["-y", "min_gap"], "branches_min_gap"),
                                        (plot_multipliers, ["-b", 1], "multipliers_1")):
            code, _, err = self.call(module, self.file, *arguments)
            self.assertEqual(code, 0, err)
            for kind in ("png", "pdf"):
                self.assertTrue(os.path.exists(self.path(f"{stem}.{kind}")))

    def test_a_single_point_is_a_dot(self):
        path = self.path("dot.h5")
        synthetic_branches.make_branches(path, n=1, special=False)
        ax = self.figure(plot_branches, path)[0].axes[0]
        self.assertEqual([(line.get_marker(), len(line.get_xdata())) for line in ax.get_lines()], [(".", 1)] * 3)

    def test_colours_can_be_told_apart(self):
        # 17 in CIELAB can be told from a legend (see test_style_colours); those of one colour differ in shape
        colours = sorted({colour for colour, _, _ in style.SPECIALS[1:]}) + list(style.LINES)
        for name, vision in VISION.items():
            for i, a in enumerate(colours):
                for b in colours[i + 1:]:
                    self.assertGreater(np.linalg.norm(cielab(a, vision) - cielab(b, vision)), 17, (name, a, b))

    def test_many_periods_share_a_colour(self):
        self.assertEqual(style.line_colours([4, 1, 2, 2]), {1: style.LINES[0], 2: style.LINES[1], 4: style.LINES[2]})
        colours = style.line_colours([1, 2, 4, 8, 16, 32])
        self.assertEqual({p for p in colours if colours[p] == style.LINES[-1]}, {8, 16, 32})
        found = [h.get_label() for h in plot_branches.handles([], colours, [])]
        self.assertEqual(found, ["period 1", "period 2", "period 4", "period 8 to 32"])


class MultiplierPictures(BranchCase):
    def test_plane(self):
        fig, notes = self.figure(plot_multipliers, self.file, "-b", 0)
        self.assertEqual(notes, [])
        plane, truth = fig.axes[0], self.branches[0]
        circle = next(p for p in plane.patches if p.get_radius() == 1)
        self.assertEqual((circle.center, plane.get_aspect()), ((0, 0), 1.0))
        dots = next(c for c in plane.collections if isinstance(c, PathCollection))
        there = np.isfinite(truth.mu)
        np.testing.assert_allclose(dots.get_offsets(), np.column_stack([truth.mu[there].real, truth.mu[there].imag]), rtol=1e-12)
        np.testing.assert_allclose(dots.get_array(), np.broadcast_to(truth.x[:, None], truth.mu.shape)[there], rtol=1e-12)
        # only the errors of the one undecided point can be seen, 0.5 and 0.1; 1e-4 of the others cannot
        ellipses = next(c for c in plane.collections if isinstance(c, EllipseCollection))
        np.testing.assert_allclose(2 * ellipses._widths, [1.0, 0.2, 0.2])
        np.testing.assert_allclose(2 * ellipses._heights, [1.0, 0.2, 0.2])
        at = int(np.flatnonzero(truth.verdict == 0)[0])
        np.testing.assert_allclose(ellipses.get_offsets(), np.column_stack([truth.mu[at, :3].real, truth.mu[at, :3].imag]))
        limit = plane.get_xlim()[1]
        self.assertGreater(limit, np.abs(truth.mu[there]).max())

        def marks(kind):
            colour, marker, _ = style.SPECIALS[kind]
            return np.concatenate([line.get_xdata() + 1j * np.asarray(line.get_ydata()) for line in plane.get_lines()
                                   if line.get_marker() == marker and line.get_markerfacecolor() == colour])

        for kind, expected in ((1, [1]), (2, [-1]), (3, [np.exp(1j), np.exp(-1j)]), (4, [1]), (5, [-0.5])):
            np.testing.assert_allclose(marks(kind), expected, rtol=1e-12)

    def test_moduli(self):
        fig, _ = self.figure(plot_multipliers, self.file)
        sizes, truth = fig.axes[2], self.branches[0]
        self.assertEqual(sizes.get_ylabel(), r"$|\mu|$")
        self.assertTrue(any(np.all(np.asarray(line.get_ydata()) == 1) and line.get_marker() == "None" for line in sizes.get_lines()))
        dots = next(c for c in sizes.collections if isinstance(c, PathCollection)).get_offsets()
        there = np.isfinite(truth.mu)
        np.testing.assert_allclose(dots[:, 0], np.broadcast_to(truth.x[:, None], truth.mu.shape)[there], rtol=1e-12)
        np.testing.assert_allclose(dots[:, 1], np.abs(truth.mu[there]), rtol=1e-12)
        band = next(c for c in sizes.collections if isinstance(c, PolyCollection)).get_paths()[0].vertices
        at = int(np.flatnonzero(truth.verdict == 0)[0])
        for i, half in ((at, 0.5), (3, 1e-4)):
            y = band[np.isclose(band[:, 0], truth.x[i], rtol=1e-12), 1]
            np.testing.assert_allclose((y.min(), y.max()), (1 - half, 1 + half), rtol=1e-9)
        rings = [line for line in sizes.get_lines() if line.get_markerfacecolor() == "none" and line.get_marker() == "o"]
        np.testing.assert_allclose([(r.get_xdata(), r.get_ydata()) for r in rings], [([truth.x[at]], [abs(truth.mu[at, 0])])])
        bars = next(c for c in sizes.collections if isinstance(c, LineCollection)).get_segments()
        np.testing.assert_allclose([np.ptp(bar[:, 1]) for bar in bars], [1.0, 0.2, 0.2])
        for kind, x in AT.items():
            np.testing.assert_allclose(marks_of(sizes, kind), [x], rtol=1e-12)

    def test_legend_and_title(self):
        fig, _ = self.figure(plot_multipliers, self.file, "-b", 1, "--si")
        legend = next(ax.get_legend() for ax in fig.axes if ax.get_legend())
        self.assertEqual(labels(legend), ["unit circle", "undecided band", "undecided", "period doubling"])
        self.assertEqual(legend.get_title().get_text(), "branch 1, period 2, $A = 7500$ $\\mathrm{m/s^2}$")

    def test_large_and_unknown(self):
        # a multiplier of 40 lies outside of the plane, and one whose error is not known is undecided
        m = branchdata.Multipliers(1, np.array([1.0, 2.0]), np.array([[40, 0.5], [1.5, 0.2]], complex),
                                   np.array([[1e-3, 1e-3], [np.inf, np.inf]]), np.array([-1, 0]), [])
        with style.context():
            ax = style.figure("page", 3).subplots()
            norm = matplotlib.colors.Normalize(1, 2)
            _, outside, largest = plot_multipliers.draw_plane(ax, m, grazedata.Unit(1.0, ""), norm)
            self.assertEqual((outside, largest), (1, 40))
            self.assertLess(ax.get_xlim()[1], 3)
            ax = style.figure("page", 3).subplots()
            self.assertTrue(plot_multipliers.draw_sizes(ax, m, grazedata.Unit(1.0, ""), norm))
            self.assertEqual(ax.get_yscale(), "log")
            rings = [line for line in ax.get_lines() if line.get_markerfacecolor() == "none"]
            np.testing.assert_allclose(rings[0].get_ydata(), [1.5, 0.2])


class Complaints(BranchCase):
    def complains(self, code, words, module, *arguments):
        found, out, err = self.call(module, *arguments)
        self.assertEqual((found, out, err.count("\n")), (code, "", 1), err)
        for word in words.split():
            self.assertIn(word, err)

    def over(self, words, *arguments, sweep=None, file=None):
        self.complains(FILES, words, plot_branches, file or self.file, "--over", sweep or self.sweep, *arguments)

    def test_files(self):
        for module in (plot_branches, plot_multipliers):
            self.complains(FILES, "missing.h5 no such file", module, self.path("missing.h5"))
            self.complains(FILES, "is a folder branches.h5", module, self.folder)
            self.complains(FILES, "this is a sweep file; a branches file is needed", module, self.sweep)
            self.complains(IO, "no/such/folder", module, self.file, "-o", self.path("no/such/folder/out.png"))
            self.complains(OPTIONS, ".png", module, self.file, "-o", "out.bmp")
        self.complains(FILES, "this is a branches file; a sweep file is needed", plot_bifurcation, self.file)
        self.over("a sweep file is needed", sweep=self.trajectory)
        torn = self.path("torn.h5")
        with h5py.File(torn, "w") as file:
            file["branch"], file["point"] = np.arange(2), np.arange(3)
        self.complains(FILES, "torn.h5: not a branches file of graze no variable special_type", plot_branches, torn)
        self.over("no such file", sweep=self.path("missing.h5"))
        self.complains(FILES, "missing.h5 no such file", plot_branches, self.file, self.path("missing.h5"))

    def test_requests(self):
        self.complains(OPTIONS, "--measure speed", plot_branches, self.file, "-y", "speed")
        self.complains(OPTIONS, "-b x", plot_multipliers, self.file, "-b", "x")
        for k in (-1, 2):
            self.complains(FILES, f"no branch {k}; there are 2", plot_multipliers, self.file, f"--branch={k}")
        self.complains(FILES, "no branch of amplitude 31, only of 30", plot_branches, self.file, "-a", 31)
        self.complains(FILES, "frequency is what changes --frequency", plot_branches, self.file, "-w", 8)
        other = self.path("other.h5")
        synthetic_branches.make_branches(other, parameter="amplitude")
        self.complains(FILES, "other.h5: amplitude changes frequency", plot_branches, self.file, other)
        self.complains(FILES, "non-dimensional SI", plot_branches, other, "--si")
        self.complains(FILES, "non-dimensional SI", plot_multipliers, other, "--si")
        empty = self.path("empty.h5")
        synthetic_branches.make_branches(empty, amplitudes=(), empty=True)
        self.complains(FILES, "no branch has a point", plot_branches, empty)
        self.complains(FILES, "branch 0 has no point no orbit of period 1", plot_multipliers, empty)

    def test_sweeps_that_cannot_lie_under(self):
        several, path = self.path("several.h5"), self.path("sweep_other.h5")
        synthetic_branches.make_branches(several, amplitudes=(20.0, 30.0), si=True)
        self.over("several values of amplitude, 20, 30: --amplitude", file=several)
        self.over("several values of amplitude, 5000, 7500: --amplitude", "--si", file=several)
        self.assertEqual(self.call(plot_branches, several, "--over", self.sweep, "-a", 30, "-o", self.path("x.png"))[0], 0)
        self.over("a sweep has no min_force", "-y", "min_force")
        synthetic.make_sweep(path, amplitudes=[29.0, 40.0], si=True)
        self.over("no cells of amplitude 30; 29", sweep=path)
        for parameter in ("stop_position", "damping_ratio"):
            file = self.path(f"{parameter}.h5")
            synthetic_branches.make_branches(file, parameter=parameter, si=True)
            self.over(f"no sweep has {parameter}", file=file)

    def test_sweeps_of_another_structure(self):
        for name, value, words in (("damping_ratio", "0.2", "damping_ratio is 0.2 in it, not 0.1"), ("forcing_mode", "3", "forcing_mode"),
                                   ("stop_position", "-0.004", "stop_position is -0.04 in it, not -0.05"),
                                   ("beam_length", "0.2", "beam_length")):
            path = self.path("sweep_other.h5")
            synthetic.make_sweep(path, si=True)
            with h5py.File(path, "r+") as file:
                file["parameters"].attrs[name] = np.bytes_(value)
            self.over(words, sweep=path)
        with h5py.File(path, "r+") as file:  # of these two a sweep has many
            file["parameters"].attrs["beam_length"] = 0.1
            file["parameters"].attrs["forcing_amplitude"] = np.bytes_("1.0")
        self.assertEqual(self.call(plot_branches, self.file, "--over", path, "-o", self.path("x.png"))[0], 0)


if __name__ == "__main__":
    unittest.main(verbosity=0)
