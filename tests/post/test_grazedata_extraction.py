"""grazedata gives back exactly what is in the file."""
import unittest

import support  # first: it sets the path

import h5py
import numpy as np
import xarray as xr

import grazedata
import synthetic


class Sweep(support.SyntheticCase):
    si = True

    def setUp(self):
        self.ds = grazedata.open_sweep(self.sweep)
        self.addCleanup(self.ds.close)

    def test_plain_xarray_sees_named_coordinates_and_units(self):
        with xr.open_dataset(self.sweep, engine="h5netcdf") as ds:
            self.assertEqual(set(ds.sizes), {"direction", "amplitude", "frequency", "sample", "contact", "multiplier", "state_index"})
            self.assertEqual(ds["strobe_displacement"].dims, ("direction", "amplitude", "frequency", "sample"))
            np.testing.assert_array_equal(ds["frequency"], self.truth.frequency)
            for name in ds.variables:
                self.assertEqual(ds[name].attrs["units"], "s" if name == "wall_seconds" else "1", name)
            self.assertEqual(ds["wall_seconds"].dtype.kind, "f")  # not decoded to a time
        with xr.open_dataset(self.sweep, engine="h5netcdf", group="provenance") as sessions:
            self.assertEqual(list(sessions["session_host"].values[:2]), ["node1", "node2"])

    def test_strobe_points_of_every_line(self):
        for d, name in enumerate(("up", "down")):
            part = grazedata.at_direction(self.ds, name)
            for i, amplitude in enumerate(self.truth.amplitude):
                line, note = grazedata.select_nearest(part, "amplitude", amplitude)
                self.assertIsNone(note)
                for value in ("displacement", "velocity"):
                    points = grazedata.strobe_points(line, value)
                    stored = getattr(self.truth, f"strobe_{value}")[d, i]
                    x, y, p, s = [], [], [], []
                    for j, w in enumerate(self.truth.frequency):
                        for k in range(self.truth.n_samples[d, i, j]):
                            x.append(w)
                            y.append(stored[j, k])
                            p.append(self.truth.period[d, i, j])
                            s.append(self.truth.status[d, i, j])
                    for found, expected in zip(points, (x, y, p, s)):
                        np.testing.assert_array_equal(found, expected)

    def test_counts_decide_not_the_padding(self):
        line, _ = grazedata.select_nearest(grazedata.at_direction(self.ds, "up"), "amplitude", 30)
        filled = line.load().fillna(7.0)
        filled.encoding["source"] = self.sweep
        np.testing.assert_array_equal(grazedata.strobe_points(filled).value, grazedata.strobe_points(line).value)
        for found, expected in zip(grazedata.contact_points(filled, "contact_force"), grazedata.contact_points(line, "contact_force")):
            np.testing.assert_array_equal(found, expected)

    def test_contacts_of_a_line_and_their_truncation(self):
        line, _ = grazedata.select_nearest(grazedata.at_direction(self.ds, "up"), "amplitude", 30)
        i = list(self.truth.amplitude).index(30)
        points = grazedata.contact_points(line, "contact_velocity")
        stored = np.minimum(self.truth.n_contacts[0, i], synthetic.CONTACTS)
        np.testing.assert_array_equal(points.x, np.repeat(self.truth.frequency, stored))
        expected = np.concatenate([self.truth.contact_velocity[0, i, j, :n] for j, n in enumerate(stored)])
        np.testing.assert_array_equal(points.value, expected)
        full = np.count_nonzero(self.truth.n_contacts[0, i] > synthetic.CONTACTS)
        self.assertGreater(full, 0)
        self.assertEqual(grazedata.truncated_cells(line), full)

    def test_line_along_amplitude(self):
        line, _ = grazedata.select_nearest(grazedata.at_direction(self.ds, "up"), "frequency", 4)
        points = grazedata.strobe_points(line)
        np.testing.assert_array_equal(points.x, np.repeat(self.truth.amplitude, self.truth.n_samples[0, :, 0]))

    def test_nearest_amplitude_is_named(self):
        line, note = grazedata.select_nearest(self.ds, "amplitude", 31)
        self.assertEqual(float(line["amplitude"]), 30)
        self.assertIn("30", note)
        _, note = grazedata.select_nearest(self.ds, "amplitude")
        self.assertIn("35", note)
        for outside in (9.99, 60.01, float("nan")):
            with self.assertRaisesRegex(grazedata.DataError, "range of the file, 10 to 60"):
                grazedata.select_nearest(self.ds, "amplitude", outside)

    def test_period_codes(self):
        code = grazedata.period_map(grazedata.at_direction(self.ds, "up")).value
        self.assertEqual(code.shape, self.truth.status[0].shape)
        meaning = {synthetic.CONTACT_FREE: grazedata.CODE_CONTACT_FREE, synthetic.APERIODIC: grazedata.CODE_APERIODIC,
                   synthetic.NOT_SETTLED: grazedata.CODE_NOT_SETTLED, synthetic.FLOW_FAILED: grazedata.CODE_FAILED,
                   synthetic.CHAOTIC: grazedata.CODE_CHAOTIC, synthetic.QUASI_PERIODIC: grazedata.CODE_QUASI_PERIODIC}
        seen = set()
        for i, j in np.ndindex(code.shape):
            status = int(self.truth.status[0, i, j])
            expected = self.truth.period[0, i, j] if status == synthetic.PERIODIC else meaning[status]
            self.assertEqual(code[i, j], expected)
            seen.add(status)
        self.assertEqual(seen, {1, 2, 3, 4, 6, 9, 10})

    def test_every_status_has_a_code(self):
        status = np.arange(11)
        found = grazedata.period_codes(grazedata.Points(None, None, np.where(np.isin(status, (1, 8)), 3, 0), status))
        self.assertEqual(found.tolist(), [0, 3, -1, -2, -3, -4, -4, -4, 3, -5, -6])

    def test_contacts_map(self):
        found = grazedata.contacts_map(grazedata.at_direction(self.ds, "down")).value
        failed = self.truth.status[1] == synthetic.FLOW_FAILED
        np.testing.assert_array_equal(found, np.where(failed, np.nan, self.truth.contacts_per_period[1]))

    def test_seams_but_not_the_starts_of_lines(self):
        for name in ("up", "down"):
            part = grazedata.at_direction(self.ds, name)
            self.assertEqual(grazedata.seams(part, "frequency").tolist(), [0.5 * (self.truth.frequency[39] + self.truth.frequency[40])])
            line, _ = grazedata.select_nearest(part, "amplitude", 30)
            self.assertEqual(len(grazedata.seams(line, "frequency")), 1)
        path = self.path("whole.h5")
        synthetic.make_sweep(path)
        with grazedata.open_sweep(path) as ds:
            for name in ("up", "down"):
                self.assertEqual(len(grazedata.seams(grazedata.at_direction(ds, name), "frequency")), 0)

    def test_grazing_curve_is_that_of_the_linear_response(self):
        # Exact: without contact the response is proportional to A, so it grazes at A = -y_s / (response per unit A).
        frequency, amplitude = grazedata.grazing_curve(grazedata.at_direction(self.ds, "up"))
        self.assertGreater(len(frequency), 20)
        np.testing.assert_allclose(amplitude, -synthetic.STOP / synthetic.receptance(frequency), rtol=1e-12)  # round-off
        has_free = (self.truth.status[0] == synthetic.CONTACT_FREE).any(axis=0)
        np.testing.assert_array_equal(frequency, self.truth.frequency[has_free])

    def test_kernel_parameters_scales_caption(self):
        with grazedata.kernel(self.ds) as kernel:
            self.assertEqual(kernel["L1_2"].dims, ("tau",))
            self.assertAlmostEqual(float(kernel["L_plus"]), 0.0271628290596)
        self.assertEqual(grazedata.parameters(self.ds)["beam_length"], synthetic.SI["length"])
        self.assertEqual(grazedata.scales(self.ds), synthetic.SI)
        caption = grazedata.caption(self.ds)
        self.assertEqual(caption.count("\n"), 0)
        for part in ("graze 0.1.0", "0123456789ab, modified", "beta = 4800", "gamma = 0.25", "y_s = -0.005 m", "2024-06-13T12:00:00Z",
                     "00000000-0000-4000-8000-000000000000"):
            self.assertIn(part, caption)

    def test_units_in_both_systems(self):
        length, time, force = (synthetic.SI[key] for key in ("length", "time", "force"))
        expected = {"strobe_displacement": (length, "m"), "strobe_velocity": (length / time, "m/s"), "contact_force": (force, "N"),
                    "contact_impulse": (force * time, "N s"), "contact_phase": (1, ""), "frequency": (1 / time, "rad/s"),
                    "amplitude": (length / time**2, "m/s^2"), "contact_duration": (time, "s")}
        for name, (factor, text) in expected.items():
            found = grazedata.unit(self.ds, name, si=True)
            self.assertAlmostEqual(found.factor, factor, delta=1e-14 * factor, msg=name)  # round-off of a few products
            self.assertEqual(found.text, text, name)
        self.assertEqual(grazedata.unit(self.ds, "contact_force"), (1.0, "EI/L^2"))
        self.assertEqual(grazedata.unit(self.ds, "contact_phase"), (1.0, ""))


class Variants(support.SyntheticCase):
    def test_no_scales_no_si(self):
        with grazedata.open_sweep(self.sweep) as ds, self.assertRaisesRegex(grazedata.DataError, "non-dimensional"):
            grazedata.unit(ds, "frequency", si=True)

    def test_pending_cells(self):
        path = self.path("pending.h5")
        truth = synthetic.make_sweep(path, complete=False)
        with grazedata.open_sweep(path) as ds:
            self.assertEqual(grazedata.pending_cells(ds), (len(truth.frequency), truth.status.size))
            points = grazedata.strobe_points(grazedata.select_nearest(grazedata.at_direction(ds, "down"), "amplitude", 60)[0])
            self.assertEqual(points.x.size, 0)

    def test_directions(self):
        path = self.path("down.h5")
        synthetic.make_sweep(path, amplitudes=[30], directions=(-1,))
        with grazedata.open_sweep(path) as ds:
            self.assertEqual(grazedata.direction_names(ds), ["down"])
            with self.assertRaisesRegex(grazedata.DataError, "no sweep up"):
                grazedata.at_direction(ds, "up")

    def test_shared_attribute_forms(self):
        # Scalars may be stored as attributes or as data sets, text as bytes: all come out as plain values.
        path = self.path("forms.h5")
        synthetic.make_sweep(path)
        with h5py.File(path, "a") as file:
            group = file["parameters"]
            group["flow"] = np.bytes_("exact")
            group.attrs["settle_periods"] = np.int32(100)
            group.attrs["beam_length"] = np.nan
        with grazedata.open_sweep(path) as ds:
            found = grazedata.parameters(ds)
            self.assertEqual((found["flow"], found["settle_periods"]), ("exact", 100))


    def test_caption_says_what_the_forcing_type_uses(self):
        path = self.path("forcing.h5")
        synthetic.make_trajectory(path)
        for kind, found, absent in (("mode", "forcing = mode; mode = 2;", "position ="),
                                    ("shape", "forcing = shape; mode = 2;", "position ="),
                                    ("point", "forcing = point; position = 0.5;", "mode ="), ("base", "forcing = base;", "mode =")):
            with h5py.File(path, "a") as file:
                file["parameters"].attrs["forcing_type"] = np.bytes_(kind)
            with grazedata.open_trajectory(path) as ds:
                caption = grazedata.caption(ds)
            self.assertIn(found, caption)
            self.assertIn("beta = 4800; gamma = 0.25; D = 0.1; y_s = -0.05;", caption)
            self.assertNotIn(absent, caption)
            if kind == "base":
                self.assertNotIn("position =", caption)


class Trajectory(support.SyntheticCase):
    def test_contents(self):
        with grazedata.open_trajectory(self.trajectory) as ds:
            for name in ("displacement", "velocity", "force", "event_time", "event_type", "event_velocity", "event_force"):
                np.testing.assert_array_equal(ds[name], getattr(self.orbit, name))
            self.assertEqual(ds["displacement"].dims, ("time",))
            self.assertAlmostEqual(grazedata.forcing_period(ds), 2 * np.pi / 13, places=15)
            self.assertEqual(grazedata.stop_position(ds), synthetic.STOP)
            contacts = grazedata.trajectory_contacts(ds)
        self.assertEqual([c.onset for c in contacts], self.orbit.event_time[::2].tolist())
        self.assertEqual([c.release for c in contacts], self.orbit.event_time[1::2].tolist())
        self.assertEqual({c.force for c in contacts}, {57.1053})

    def test_parameters_given_in_si(self):
        path = self.path("si.h5")
        synthetic.make_trajectory(path, si=True)
        with grazedata.open_trajectory(path) as ds:
            self.assertAlmostEqual(grazedata.forcing_period(ds), 2 * np.pi / 13, places=14)  # round-off of two divisions
            self.assertAlmostEqual(grazedata.stop_position(ds), synthetic.STOP, places=15)

    def test_contact_open_at_both_ends(self):
        # The file may begin within a contact (a release first) and end within one (no release).
        with grazedata.open_trajectory(self.trajectory) as ds:
            contacts = grazedata.trajectory_contacts(ds.isel(event=slice(1, -1)))
        self.assertEqual(len(contacts), len(self.orbit.event_time) // 2 - 1)
        self.assertTrue(np.isnan(contacts[-1].release))


if __name__ == "__main__":
    unittest.main(verbosity=0)
