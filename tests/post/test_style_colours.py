"""Colours can be told apart with every kind of colour vision; small helpers of style are right."""
import itertools
import re
import unittest

import support  # noqa: F401  first: it sets the path

import matplotlib.colors
import numpy as np

import grazedata
import style

# Machado, Oliveira, Fernandes, IEEE TVCG 15 (2009) 1291: full deuter-, prot- and tritanopia, on linear RGB.
VISION = {
    "full": np.eye(3),
    "deuteranopia": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]),
    "protanopia": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
    "tritanopia": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]),
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])  # sRGB, white D65


def cielab(colour, vision):
    rgb = np.array(matplotlib.colors.to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    x = XYZ @ np.clip(vision @ linear, 0, 1) / np.array([0.9505, 1.0, 1.089])
    f = np.where(x > 0.008856, np.cbrt(x), 7.787 * x + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


class Colours(unittest.TestCase):
    def smallest(self, colours):
        distances = {}
        for name, vision in VISION.items():
            for a, b in itertools.combinations(colours, 2):
                distances[name, a, b] = np.linalg.norm(cielab(a, vision) - cielab(b, vision))
        worst = min(distances, key=distances.get)
        return distances[worst], worst

    def test_codes_of_the_map(self):
        # 2.3 is a just noticeable difference side by side; 17 can be told from a legend
        distance, worst = self.smallest(style.PERIODS + (style.CHAOTIC, style.QUASI_PERIODIC, style.APERIODIC, style.NOT_SETTLED, style.CONTACT_FREE, style.FAILED))
        self.assertGreater(distance, 17, worst)

    def test_directions(self):
        for dark in style.APERIODIC, style.CHAOTIC:
            distance, worst = self.smallest((*style.DIRECTION.values(), dark, style.NOT_SETTLED, style.QUASI_PERIODIC))
            self.assertGreater(distance, 25, worst)


class Helpers(unittest.TestCase):
    def test_edges(self):
        self.assertEqual(style.edges([1, 2, 4]).tolist(), [0.5, 1.5, 3, 5])
        low, high = style.edges([30])
        self.assertTrue(low < 30 < high)

    def test_runs(self):
        self.assertEqual(style.runs([True, True, False, True]), [(0, 2), (3, 4)])
        self.assertEqual(style.runs([False]), [])

    def test_legend_names_few_long_periods(self):
        for code, labels in (([1, 7, 17, 17, -2], ["1", "7", "17", "aperiodic"]), ([9, 12, 30], ["9, 12, 30"]),
                             ([8, 9, 10, 11, 12], ["8", "9+"]), ([2], ["2"])):
            handles = style.code_handles(np.array(code))
            self.assertEqual([h.get_label() for h in handles], labels)
            for handle in handles[:-1] if "aperiodic" in labels else handles:
                period = int(re.match(r"\d+", handle.get_label()).group())
                self.assertEqual(handle.get_facecolor(), matplotlib.colors.to_rgba(style.period_colour(period)))
        self.assertEqual(style.period_colour(9), style.period_colour(32))

    def test_readable(self):
        for largest, expected in ((0.2, "mm"), (3e-4, "µm"), (2.0, "m")):
            self.assertEqual(style.readable(grazedata.Unit(0.1 if largest < 1 else 1.0, "m"), largest).text, expected)
        unit = style.readable(grazedata.Unit(1.0, "s"), 1e-4)
        self.assertEqual((round(unit.factor), unit.text), (1000000, "µs"))
        self.assertEqual(style.readable(grazedata.Unit(1.0, "L"), 1e-4), (1.0, "L"))

    def test_unit_labels(self):
        self.assertEqual(style.unit_label(""), "")
        self.assertEqual(style.unit_label("EI/L^2"), " ($EI/L^2$)")
        self.assertEqual(style.unit_label("rad/t0"), r" ($\mathrm{rad}/t_0$)")
        self.assertEqual(style.unit_label("m/s^2"), r" ($\mathrm{m/s^2}$)")


if __name__ == "__main__":
    unittest.main(verbosity=0)
