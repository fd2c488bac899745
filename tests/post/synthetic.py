"""synthetic - a sweep.h5 and a trajectory.h5 with made-up numbers that follow the contract of docs/data.md exactly.

They let the tests of postprocess run without the program. The pattern is like period adding: windows of period 1, 2, 3, ...
with chaotic bands between them, contact-free cells at small amplitude, one not settled, one failed, one pending
cell, a window of hysteresis (up and down differ), and a seam.
"""
from types import SimpleNamespace

import h5py
import numpy as np

PENDING, PERIODIC, CONTACT_FREE, APERIODIC, NOT_SETTLED, EVENT_LIMIT, FLOW_FAILED, CRASHED, PERIODIC_UNVERIFIED = range(9)
CHAOTIC, QUASI_PERIODIC = 9, 10
STATUS_NAMES = "pending periodic contact_free aperiodic not_settled event_limit flow_failed crashed periodic_unverified chaotic quasi_periodic"

SAMPLES, CONTACTS, MULTIPLIERS, MAX_PERIOD, STATES = 64, 96, 8, 32, 10
SESSIONS, SESSION_TEXT = 1024, 64
REASON_NAMES = "running complete time_limit signal stop_file killed silent failed"
STOP = -0.05

SCALE = {"strobe_displacement": "L", "strobe_velocity": "L/t0", "contact_phase": "1", "contact_velocity": "L/t0",
         "contact_force": "EI/L^2", "contact_duration": "t0", "contact_impulse": "EI t0/L^2", "peak_force": "EI/L^2",
         "max_displacement": "L", "min_displacement": "L", "min_gap": "L"}

SI = {"length": 0.1, "time": 0.02, "force": 3.0}
SLENDERNESS = {"beta": 4800.0, "gamma": 0.25}
AMPLITUDE, FREQUENCY = 30.0, 13.0


def receptance(w):
    """|tip displacement| per unit amplitude of the made-up beam without contact."""
    return 1 / np.abs(21.67**2 - w**2 + 2j * 0.1 * 21.67 * w) + 0.0005


def cell_kind(amplitude, w, direction):
    """(status, period) of the made-up beam."""
    if amplitude * receptance(w) <= -STOP:
        return CONTACT_FREE, 1
    x = max(w - 4, 1) / 6.2 + 0.02 * (amplitude - 30) / 30 + (0.06 if direction < 0 else 0)
    n, within = int(np.floor(x)) + 1, x % 1
    if n > 1 and within < 0.28:
        return CHAOTIC, 0
    if n > 2 and within < 0.36:
        return PERIODIC, 2 * n + 6
    return PERIODIC, n


def make_sweep(path, amplitudes=None, frequencies=None, directions=(1, -1), complete=True, si=False, seam=None):
    """Write a sweep file; returns what is in it as plain arrays, shape [direction, amplitude, frequency(, ...)].

    complete=False leaves the last amplitude of the last direction pending. seam: index along frequency."""
    amplitudes = np.linspace(10, 60, 11) if amplitudes is None else np.asarray(amplitudes, float)
    frequencies = np.linspace(4, 40, 73) if frequencies is None else np.asarray(frequencies, float)
    shape = (len(directions), len(amplitudes), len(frequencies))
    t = SimpleNamespace(amplitude=amplitudes, frequency=frequencies, direction=np.array(directions, np.int8))
    for name in ("status", "segment_start", "state_in_contact"):
        setattr(t, name, np.zeros(shape, np.int8))
    t.checksum = np.zeros(shape, np.int64)  # made up
    t.state = np.full(shape + (STATES,), np.nan)
    for name in ("period", "n_samples", "n_contacts", "contacts_per_orbit", "n_multipliers", "periods_used"):
        setattr(t, name, np.zeros(shape, np.int32))
    for name in ("contacts_per_period", "peak_force", "max_displacement", "min_displacement", "min_gap", "contact_fraction",
                 "wall_seconds", "residual", "check_deviation", "lyapunov_exponent", "lyapunov_error"):
        setattr(t, name, np.full(shape, np.nan))
    for name in ("strobe_displacement", "strobe_velocity"):
        setattr(t, name, np.full(shape + (SAMPLES,), np.nan))
    t.contact_period = np.full(shape + (CONTACTS,), -1, np.int32)
    for name in ("contact_phase", "contact_velocity", "contact_force", "contact_duration", "contact_impulse"):
        setattr(t, name, np.full(shape + (CONTACTS,), np.nan))
    for name in ("multiplier_re", "multiplier_im", "multiplier_error"):
        setattr(t, name, np.full(shape + (MULTIPLIERS,), np.nan))

    rng = np.random.default_rng(20140613)
    for d, i, j in np.ndindex(shape):
        status, period = cell_kind(amplitudes[i], frequencies[j], directions[d])
        if d == 0 and i == len(amplitudes) // 2 and len(frequencies) > 12:
            status, period = {5: (NOT_SETTLED, 0), 9: (FLOW_FAILED, 0), 15: (APERIODIC, 0), 16: (QUASI_PERIODIC, 0)}.get(j, (status, period))
        if not complete and d == len(directions) - 1 and i == len(amplitudes) - 1:
            status, period = PENDING, 0
        _fill_cell(t, (d, i, j), status, period, rng)
    first = {1: 0, -1: len(frequencies) - 1}
    for d, direction in enumerate(directions):
        t.segment_start[d, :, first[direction]] = t.status[d, :, first[direction]] != PENDING
        if seam is not None:
            t.segment_start[d, :, seam if direction > 0 else seam - 1] = 1
    _write_sweep(path, t, complete, si)
    return t


def _fill_cell(t, cell, status, period, rng):
    d, i, j = cell
    t.status[cell] = status
    if status == PENDING:
        return
    t.wall_seconds[cell], t.periods_used[cell], t.checksum[cell] = 0.02, 164, 1 + np.ravel_multi_index(cell, t.status.shape)
    if status == FLOW_FAILED:
        return
    t.state[cell] = 0.01 * np.arange(STATES)
    a, w = t.amplitude[i], t.frequency[j]
    t.period[cell] = period
    n = t.n_samples[cell] = period or SAMPLES
    exponent = {APERIODIC: (0.03, 0.015), NOT_SETTLED: (-0.2, 0.01), CHAOTIC: (0.3, 0.02), QUASI_PERIODIC: (0.0, 0.001)}
    t.lyapunov_exponent[cell], t.lyapunov_error[cell] = exponent.get(status, (np.nan, np.nan))
    k = np.arange(n)
    noise = rng.uniform(-0.12, 0.12, n) if period == 0 else 0.0
    t.strobe_displacement[cell][:n] = 0.1 + 0.2 * np.cos(2 * np.pi * k / max(period, 7) + w / 8) * (a / 30) + noise
    t.strobe_velocity[cell][:n] = 1.5 * np.sin(2 * np.pi * k / max(period, 7) + w / 6) + noise
    swing = a * receptance(w)
    t.max_displacement[cell] = swing
    t.contact_fraction[cell] = t.peak_force[cell] = 0.0
    t.contacts_per_period[cell] = 0.0
    if status == CONTACT_FREE:
        t.min_displacement[cell], t.min_gap[cell] = -swing, -swing - STOP
    else:
        m = t.n_contacts[cell] = 2 * n if period == 0 else n + 1
        t.contacts_per_orbit[cell] = m if period else 0
        t.contacts_per_period[cell] = m / n
        t.min_displacement[cell], t.min_gap[cell] = STOP - 1e-5, 0.001
        t.contact_fraction[cell], t.peak_force[cell] = 0.06, 1.6 * a
        kept = min(m, CONTACTS)
        c = np.arange(kept)
        t.contact_period[cell][:kept] = c // 2
        t.contact_phase[cell][:kept] = (0.35 + 0.13 * (c % 2) + 0.01 * (c // 2) + w / 200) % 1
        t.contact_velocity[cell][:kept] = -(1.5 - 1.4 * (c % 2)) * (1 + 0.03 * (c // 2)) * a / 30
        t.contact_force[cell][:kept] = -t.contact_velocity[cell][:kept] / 0.0271628290596
        t.contact_duration[cell][:kept] = 0.05
        t.contact_impulse[cell][:kept] = 0.4
    if period:
        t.n_multipliers[cell], t.residual[cell] = 2, 1e-13
        for name, value in (("multiplier_re", -0.03), ("multiplier_im", 0.26), ("multiplier_error", 1e-5)):
            getattr(t, name)[cell][:2] = (value, -value) if name == "multiplier_im" else value


def _dimension(group, name, values, long_name, scale="1"):
    data = group.create_dataset(name, data=values)
    data.make_scale(name)
    data.attrs["long_name"], data.attrs["units"], data.attrs["scale"] = np.bytes_(long_name), np.bytes_("1"), np.bytes_(scale)


def _variable(group, name, values, dims, scale="1", units="1"):
    data = group.create_dataset(name, data=values)
    for axis, dim in enumerate(dims):
        data.dims[axis].attach_scale(group[dim])
    data.attrs["long_name"] = np.bytes_(name.replace("_", " "))
    data.attrs["units"] = np.bytes_(units)
    if units == "1":
        data.attrs["scale"] = np.bytes_(scale)
    return data


def _provenance(file, si):
    """The attributes and groups of both files. si: the user gave stop and forcing in SI, so /parameters holds them in SI."""
    for name, text in (("title", "synthetic"), ("Conventions", "CF-1.10"), ("source", "graze 0.1.0")):
        file.attrs[name] = np.bytes_(text)
    group = file.create_group("provenance")
    for name, text in (("program_version", "0.1.0"), ("commit", "0123456789abcdef0123456789abcdef01234567"),
                       ("utc_start", "2024-06-13T12:00:00Z"), ("uuid", "00000000-0000-4000-8000-000000000000")):
        group.attrs[name] = np.bytes_(text)
    group.attrs["dirty"] = np.int8(1)
    group = file.create_group("parameters")
    length, time = (SI["length"], SI["time"]) if si else (1.0, 1.0)
    if si:
        group.attrs["beam_length"] = SI["length"]
    else:
        group.attrs["beam_beta"], group.attrs["beam_gamma"] = SLENDERNESS["beta"], SLENDERNESS["gamma"]
    for name, value in (("damping_ratio", 0.1), ("stop_position", STOP * length), ("forcing_amplitude", AMPLITUDE * length / time**2),
                        ("forcing_frequency", FREQUENCY / time), ("forcing_mode", 2), ("forcing_position", 0.5)):
        group.attrs[name] = np.bytes_(repr(value))
    group.attrs["forcing_type"] = np.bytes_("mode")
    group.attrs["units"] = np.bytes_("si" if si else "nondimensional")
    if si:
        group = file.create_group("scales")
        for name, value in (SI | SLENDERNESS).items():
            group.create_dataset(name, data=value)


def _sessions(group, complete, cells):
    """The tables of /provenance: two sessions, the first of them killed."""
    text = group.create_dataset("text", data=np.zeros(SESSION_TEXT, np.int8))  # a dimension without values
    text.make_scale(f"This is a netCDF dimension but not a netCDF variable.{SESSION_TEXT:10d}")
    _dimension(group, "session", np.arange(SESSIONS, dtype=np.int32), "session")
    _dimension(group, "cell", np.arange(cells, dtype=np.int32), "cell")
    group.attrs["sessions"], group.attrs["generation"], group.attrs["next_record"] = np.int32(2), np.int64(2), np.int64(1000)

    def column(name, dtype, fill, first, second):
        values = np.full(SESSIONS, fill, dtype)
        values[:2] = first, second
        return _variable(group, name, values, ("session",), units="s" if dtype is float else "1")

    column("session_ranks", np.int32, 0, 4, 2)
    column("session_cells", np.int64, 0, cells // 2, cells - cells // 2 if complete else 1)
    column("session_start", float, np.nan, 1718280000.0, 1718290000.0)
    column("session_end", float, np.nan, 1718283600.0, 1718293600.0)
    reason = column("session_end_reason", np.int8, 0, 5, 1 if complete else 2)
    reason.attrs["flag_values"], reason.attrs["flag_meanings"] = np.arange(8, dtype=np.int8), np.bytes_(REASON_NAMES)
    for name, words in (("session_host", (b"node1", b"node2")), ("session_job", (b"17", b"")), ("session_version", (b"0.1.0", b"0.1.0"))):
        values = np.array([word.ljust(SESSION_TEXT, b"\0") for word in words] + [bytes(SESSION_TEXT)] * (SESSIONS - 2), f"S{SESSION_TEXT}")
        data = _variable(group, name, values.view("S1").reshape(SESSIONS, SESSION_TEXT), ("session", "text"))
        data.attrs["_Encoding"] = np.bytes_("utf-8")
    _variable(group, "deaths", np.zeros(cells, np.int8), ("cell",))


def _write_sweep(path, t, complete, si):
    cell = ("direction", "amplitude", "frequency")
    inner = {"strobe_displacement": "sample", "strobe_velocity": "sample", "state": "state_index"}
    inner.update({n: "contact" for n in vars(t) if n.startswith("contact_") and n != "contact_fraction"})
    inner.update({n: "multiplier" for n in vars(t) if n.startswith("multiplier_")})
    with h5py.File(path, "w") as file:
        file.attrs["complete"], file.attrs["shard"] = np.int8(complete), np.bytes_("1/1")
        _provenance(file, si)
        _sessions(file["provenance"], complete, t.status.size)
        _dimension(file, "direction", t.direction, "sweep direction")
        file["direction"].attrs["flag_values"] = np.array([1, -1], np.int8)
        file["direction"].attrs["flag_meanings"] = np.bytes_("up down")
        _dimension(file, "amplitude", t.amplitude, "forcing amplitude", "L/t0^2")
        _dimension(file, "frequency", t.frequency, "angular forcing frequency", "rad/t0")
        for name, size in (("sample", SAMPLES), ("contact", CONTACTS), ("multiplier", MULTIPLIERS), ("state_index", STATES)):
            _dimension(file, name, np.arange(size, dtype=np.int32), name)
        for name, values in vars(t).items():
            if name in cell:
                continue
            dims = cell + ((inner[name],) if name in inner else ())
            _variable(file, name, values, dims, SCALE.get(name, "1"), "s" if name == "wall_seconds" else "1")
        file["status"].attrs["flag_values"] = np.arange(11, dtype=np.int8)
        file["status"].attrs["flag_meanings"] = np.bytes_(STATUS_NAMES)
        kernel = file.create_group("kernel")
        tau = np.linspace(0, 1, 50)
        _dimension(kernel, "tau", tau, "delay", "t0")
        _variable(kernel, "L1_2", 0.0271628290596 * np.exp(-tau), ("tau",))
        _variable(kernel, "L_plus", 0.0271628290596, ())


def make_trajectory(path, periods=4, samples_per_period=500, si=False, frequency=FREQUENCY):
    """Write a trajectory file of a made-up orbit that touches the stop once a period; returns its arrays."""
    t = SimpleNamespace()
    period = 2 * np.pi / frequency
    t.time = np.arange(periods * samples_per_period + 1) * period / samples_per_period
    phase = t.time / period % 1
    touching = (phase >= 0.35) & (phase < 0.47)
    swing = 0.1 + 0.2 * np.cos(2 * np.pi * (phase - 0.91))
    low = 0.1 + 0.2 * np.cos(2 * np.pi * (0.35 - 0.91))
    t.displacement = np.where(touching, STOP, STOP + np.maximum(swing - low, 0) * 1.2)
    t.velocity = np.where(touching, 0.0, np.gradient(t.displacement, t.time))
    s = np.clip((phase - 0.35) / 0.12, 0, 1)
    force = 57.1 * np.exp(-s / 0.02) * (1 - s) + 14 * np.sin(np.pi * np.minimum(s, 1)) ** 0.5
    t.force = np.where(touching, force, 0.0)
    k = np.arange(periods)
    t.event_time = np.column_stack([(k + 0.35) * period, (k + 0.47) * period]).ravel()
    t.event_type = np.tile(np.array([1, 2], np.int8), periods)
    t.event_velocity = np.tile([-1.55114, 0.0], periods)
    t.event_force = np.tile([57.1053, 0.0], periods)
    with h5py.File(path, "w") as file:
        file.attrs["complete"] = np.int8(1)
        _provenance(file, si)
        _dimension(file, "time", t.time, "time", "t0")
        for name, scale in (("displacement", "L"), ("velocity", "L/t0"), ("force", "EI/L^2")):
            _variable(file, name, getattr(t, name), ("time",), scale)
        for name, value, scale in (("stop_position", STOP, "L"), ("amplitude", AMPLITUDE, "L/t0^2"), ("frequency", frequency, "rad/t0")):
            _variable(file, name, value, (), scale)
        _dimension(file, "event", np.arange(2 * periods, dtype=np.int32), "event")
        for name, scale in (("event_time", "t0"), ("event_type", "1"), ("event_velocity", "L/t0"), ("event_force", "EI/L^2")):
            _variable(file, name, getattr(t, name), ("event",), scale)
        file["event_type"].attrs["flag_values"] = np.array([1, 2], np.int8)
        file["event_type"].attrs["flag_meanings"] = np.bytes_("onset release")
    return t
