# processors: 2
"""A sweep gives the same bits on every number of ranks, and every cell starts from where it should.

Silent when right.
"""

import pathlib
import sys
import tempfile

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from sweeps import Runs, check, differences, finish  # noqa: E402

# 40 modes; periodic, contact-free and aperiodic cells, and hysteresis between them.
SMALL = "-receptance_modes 40 -settle_periods 40 -sample_periods 16 -max_period 16 -max_contacts 24"
GRID = "-sweep_amplitude 10:50:5 -sweep_frequency 6:34:8 -sweep_direction both"
ALONG = "-sweep_amplitude 10:50:5 -sweep_frequency 6:34:8 -sweep_direction both -sweep_along amplitude -sweep_segment 2"


def starts(n_lines, length, segment):
    """segment_start of up and down by the words of the documentation: lines are cut from the end at which they begin. [direction, line, cell]"""
    up = np.zeros((n_lines, length), np.int8)
    up[:, ::segment] = 1
    return np.stack([up, up[:, ::-1]])


def ranks(r):
    """1, 2, 3, 5 ranks, of which root computes too, and 7, on which it only serves: the same file to the bit."""
    for name, grid in ("whole", GRID), ("along", ALONG):
        r.run(f"{name}0", SMALL, grid)
        for n in (1, 2, 3, 5) if name == "whole" else (3, 7):
            done = r.run(f"{name}{n}", SMALL, grid, ranks=n)
            r.same(f"{name}0", f"{name}{n}", f"{n} ranks")
            check(("serves" in done.stdout) == (n == 7), f"{n} ranks: who is busy?\n{done.stdout}")
    check(len(np.unique(r.read("whole0")["status"])) >= 3, "the grid is too dull to show a difference")
    # the comparison can tell files apart: these start their cells from other states
    found = differences(r.file("whole0"), r.file("along0"))
    check({"segment_start", "strobe_displacement", "periods_used", "parameters@sweep_along"} <= set(found), f"differences show only {found}")


def idle_ranks(r):
    """More ranks than lines: a warning that counts them, and the same result."""
    line = "-sweep_amplitude 30 -sweep_frequency 12:14:3"
    done = r.run("idle3", SMALL, line, "-sweep_direction both", ranks=3)
    check("warning: 1 of 3 ranks will idle" in done.stdout, f"3 ranks, 2 lines: {done.stdout}")
    done = r.run("idle2", SMALL, line, "-sweep_direction both", ranks=2)
    check("will idle" not in done.stdout, f"2 ranks, 2 lines: {done.stdout}")
    r.same("idle2", "idle3", "an idle rank")
    done = r.run("idle7", SMALL, line, ranks=7)  # root serves: 6 workers, 1 line
    check("warning: 5 of 7 ranks will idle" in done.stdout, f"7 ranks, 1 line: {done.stdout}")
    up, both = r.read("idle7"), r.read("idle2")
    check(all(np.array_equal(up[n][0], both[n][0], equal_nan=True) for n in up if up[n].ndim >= 3), "up alone differs from up of both")


def places(r):
    """Which cells start afresh; and the cells of a unit lie in the file where their parameters say."""
    check(np.array_equal(r.read("whole0")["segment_start"], starts(5, 8, 8)), "segment_start of whole lines")
    check(np.array_equal(r.read("along0")["segment_start"], starts(8, 5, 2).transpose(0, 2, 1)), "segment_start of cut lines along the amplitude")
    # Cells that all start from the stated initial condition do not know their neighbours: neither direction nor axis matters.
    one = "-sweep_segment 1"
    r.run("alone", SMALL, GRID, one, ranks=2)
    r.run("alone_along", SMALL, GRID, one, "-sweep_along amplitude", ranks=2)
    alone, along = r.read("alone"), r.read("alone_along")
    cells = [name for name in alone if alone[name].ndim >= 3]
    check(alone["segment_start"].all(), "segment_start with segments of one cell")
    for name in cells:
        check(np.array_equal(alone[name][0], alone[name][1], equal_nan=True), f"cells on their own: {name} depends on the direction")
        check(np.array_equal(alone[name], along[name], equal_nan=True), f"cells on their own: {name} depends on the axis of the lines")
    # A cell of the middle, by itself.
    a, w = 2, 5
    r.run("cell", SMALL, "-sweep_amplitude", repr(alone["amplitude"][a]), "-sweep_frequency", repr(alone["frequency"][w]))
    cell, whole = r.read("cell"), r.read("whole0")
    for name in cells:
        check(np.array_equal(cell[name][0, 0, 0], alone[name][0, a, w], equal_nan=True), f"a sweep of one cell: {name} differs")
        # lines begin with the cell that starts afresh, the down line at its upper end
        check(np.array_equal(whole[name][0, :, 0], alone[name][0, :, 0], equal_nan=True), f"begin of the up lines: {name} differs")
        check(np.array_equal(whole[name][1, :, -1], alone[name][1, :, -1], equal_nan=True), f"begin of the down lines: {name} differs")
    inner = whole["strobe_displacement"][0, :, 1:], alone["strobe_displacement"][0, :, 1:]
    check(not np.array_equal(*inner, equal_nan=True), "no cell starts from its neighbour's state")
    check(np.array_equal(whole["amplitude"], [10, 20, 30, 40, 50]) and np.array_equal(whole["frequency"], [6, 10, 14, 18, 22, 26, 30, 34]), "the axes")
    check(list(whole["direction"]) == [1, -1], "the directions")


def main():
    with tempfile.TemporaryDirectory(prefix="graze_sweep_") as folder:
        r = Runs(folder)
        ranks(r)
        idle_ranks(r)
        places(r)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
