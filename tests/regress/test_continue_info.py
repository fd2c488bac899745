"""graze info and graze verify of what graze continue leaves: whole, stopped, killed, damaged, and none of ours. Silent when right."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zlib

import h5py
import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "post"))
from sweeps import GRAZE, PATIENCE, Runs, check, environment, finish  # noqa: E402
import synthetic_branches  # noqa: E402

SOURCE = pathlib.Path(os.environ.get("GRAZE_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
# an impact oscillator that doubles twice: three branches, one after the other
OPTIONS = ("-beam_model modes -beam_frequencies 1 -beam_tip_values 1 -damping_ratio 0.02 -forcing_mode 1 -flow restitution -stop_side above -stop_position 1 "
           "-initial_displacement 0.5 -initial_velocity 0 -restitution_coefficient 0.9 -forcing_amplitude 0.37 -forcing_frequency 0.81 "
           "-continue_parameter amplitude -continue_min 0.34 -continue_max 0.4 -continue_switch_depth 2")
GOOD, FAILS, COME_BACK, FILES = 0, 1, 85, 65


def said(r, *words, code=GOOD):
    """What is printed, lines put together again; stderr at its end. One line there if there is a complaint."""
    done = r.graze(*words)
    text = f"graze {' '.join(map(str, words))}"
    check(done.returncode == code, f"{text}: exit code {done.returncode}, not {code}\n{done.stdout}{done.stderr}")
    complaints = 0 if "-state" in words or code == GOOD else 1
    check(done.stderr.count("\n") == complaints and done.stderr.count("graze: ") == complaints, f"{text}: stderr is\n{done.stderr}")
    for line in done.stdout.splitlines()[1:]:
        check(len(line) <= 100 and line == line.rstrip() and "nan" not in line.lower().split(), f"{text}: line '{line}'")
    return re.sub(r"\n {20}(?! )", " ", done.stdout) + done.stderr


def row(out, label):
    found = re.search(rf"^  {re.escape(label)} +(.*)$", out, re.M)
    return found.group(1) if found else ""


def says(r, words, code, *texts):
    out = said(r, *words, code=code)
    missing = [text for text in texts if text not in out]
    check(not missing, f"graze {' '.join(map(str, words))} does not say {missing}:\n{out}")
    return out


def listing(folder):
    return sorted((p.name, p.stat().st_mtime_ns) for p in folder.iterdir())


def make(r):
    """whole: complete. stopped: told to in its third branch. killed: in its second, before there is a file."""
    r.run("whole", OPTIONS, command="continue")
    env = {"GRAZE_FAULT": "cell:slow=2@2,0", "GRAZE_FAULT_CELLS": str(r.folder / "cells")}
    process = subprocess.Popen([GRAZE, *r.words("stopped", [OPTIONS], "continue")], cwd=r.folder, env=environment(env), stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    give_up = time.monotonic() + PATIENCE
    while not ((r.folder / "cells").exists() and "2 0\n" in (r.folder / "cells").read_text()) and process.poll() is None and time.monotonic() < give_up:
        time.sleep(0.005)
    under_way = said(r, "info", "stopped")
    says(r, ["info", "-state", "stopped"], COME_BACK, "no result yet; journal: 1 start, 2 branches are back")
    process.send_signal(signal.SIGTERM)
    check(process.wait(timeout=PATIENCE) == COME_BACK, f"stopped: exit code {process.returncode}")
    check(row(under_way, "journal") == "1 start, 2 branches are back" and "no result yet" in row(under_way, "state"), f"under way:\n{under_way}")
    subprocess.run([GRAZE, *r.words("killed", [OPTIONS], "continue")], cwd=r.folder, env=environment({"GRAZE_FAULT": "cell:kill@1,0"}),
                   stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
    check(not (r.folder / "killed" / "branches.h5").exists() and (r.folder / "stopped" / "branches.h5").exists(), "killed, stopped: not as they should be")


def info_of_the_whole(r):
    before = listing(r.folder / "whole")
    out = said(r, "info", "whole")
    check(out.partition("\n")[2] == said(r, "info", "whole/branches.h5").partition("\n")[2], "info says other things of the file than of its folder")
    check(listing(r.folder / "whole") == before, "info changed the folder")
    with h5py.File(r.folder / "whole" / "branches.h5") as file:
        x, stable, owner, kinds = (file[name][:] for name in ("parameter", "stability", "point_branch", "special_type"))
        names = file["special_type"].attrs["flag_meanings"]
        names = (names.decode() if isinstance(names, bytes) else names).split()
        scale = file["parameter"].attrs["scale"]
        scale = scale.decode() if isinstance(scale, bytes) else scale
        why = [["".join(c.decode() for c in end) for end in branch] for branch in file["branch_why"][:]]
        period, parent = file["branch_period"][:], file["branch_parent"][:]
    check(row(out, "what").startswith("branches: ") and row(out, "state") == "complete" and row(out, "journal") == "", f"state:\n{out}")
    check(row(out, "continued") == "amplitude" and row(out, "bounds") == f"0.34 to 0.4 {scale}" and row(out, "covered") == f"{x.min():.9g} to {x.max():.9g} {scale}",
          f"parameter:\n{out}")
    check(row(out, "fixed") == "frequency 0.81 rad/t0, stop_position 1 L, damping_ratio 0.02" and row(out, "modes") == "1, no second cut", f"fixed:\n{out}")
    count = ", ".join(f"{n} {names[k]}" for k, n in zip(*np.unique(kinds, return_counts=True)))
    check(row(out, "branches") == f"{len(why)} with {len(x)} points" and row(out, "special points") == f"{len(kinds)}: {count}" and len(why) == 3,
          f"numbers: not '{count}':\n{out}")
    for b in range(len(why)):
        mine = owner == b
        origin = "a simulation" if parent[b] < 0 else f"a doubling of branch {parent[b]}"
        right = (f"period {period[b]}, from {origin}, {mine.sum()} points, {x[mine].min():.9g} to {x[mine].max():.9g} {scale}, "
                 f"{100 * (stable[mine] == 1).mean():.3g} % stable; ends: {why[b][0]} | {why[b][1]}")
        check(row(out, str(b)) == right, f"branch {b}: '{row(out, str(b))}' is not '{right}'")
    says(r, ["info", "-state", "whole"], GOOD, "complete: 3 branches")
    says(r, ["info", "-state", "whole/branches.h5"], GOOD, "complete")


def info_of_a_part(r):
    out = says(r, ["info", "stopped"], GOOD, "incomplete: stopped before the end", "2 with ")
    check(row(out, "journal") == "1 start, 2 branches are back" and row(out, "2") == "" and row(out, "1").startswith("period 4"), f"stopped:\n{out}")
    says(r, ["info", "-state", "stopped"], COME_BACK, "2 branches are in the result; journal: 1 start, 2 branches are back")
    says(r, ["info", "-state", "stopped/branches.h5"], COME_BACK, "incomplete")
    says(r, ["info", "killed"], GOOD, "no result yet", "1 start, 1 branch is back")
    says(r, ["info", "-state", "killed"], COME_BACK, "1 start, 1 branch is back")


def info_of_many(r):
    """Other starts and parameters, and more branches than are listed."""
    for parameter in synthetic_branches.INTERVAL:
        x = np.concatenate([b.x for b in synthetic_branches.make_branches(r.folder / "made.h5", parameter=parameter, empty=True)])
        out = said(r, "info", "made.h5")
        check(row(out, "continued") == parameter and parameter not in row(out, "fixed") and row(out, "fixed").count(",") == 2, f"{parameter}:\n{out}")
        check(row(out, "covered").startswith(f"{x.min():.9g} to {x.max():.9g}") and row(out, "modes") == "100; 80 in the second cut", f"{parameter}:\n{out}")
        check(row(out, "2") == "period 1, from a simulation, no points: no orbit of period 1 was found at the start", f"{parameter}:\n{out}")
    synthetic_branches.make_branches(r.folder / "made.h5", amplitudes=np.linspace(10, 60, 11), complete=False)
    out = says(r, ["info", "made.h5"], GOOD, "22 with 880 points", "incomplete", "amplitude 10 to 60 L/t0^2")
    check(row(out, "...") == "and 2 more" and row(out, "19").startswith("period 2") and row(out, "20") == "", f"many:\n{out}")
    with h5py.File(r.folder / "made.h5", "r+") as file:
        file["branch_origin"][:3] = 1, 2, 4
        file["branch_from"][:2] = [[0, 3, 7], [5, 12, -1]]
        file["branch_parent"][2] = 1
        why = file["branch_why"][:]
        why[3, 0] = np.frombuffer(b"\n\x1b\xff" + b"x" * 157, "S1")
        file["branch_why"].id.write(h5py.h5s.ALL, h5py.h5s.ALL, why, h5py.h5t.C_S1)
    out = said(r, "info", "made.h5")
    for b, text in enumerate(("from cell 0,3,7,", "from point 12 of branch 5 of a file,", "from a branch point of branch 1,")):
        check(text in row(out, str(b)), f"origins:\n{out}")
    check("ends: ???xxx" in row(out, "3") and "\x1b" not in out, f"a strange word:\n{out}")


def listed():
    """What docs/data.md says the checksum is of."""
    text = (SOURCE / "docs" / "data.md").read_text()
    text = text[text.index("`graze verify DIR` computes `branch_checksum` again."):]
    text = text[: text.index("The same branch has another one")]
    begin, points, specials = text.split(";")
    names = [re.findall(r"`(\w+)`", part) for part in (begin[begin.index("its row of"):], points[points.index("of `point_branch`, "):], specials)]
    return names  # of a branch, of its points, of its special points


def checksums(file):
    sums = []
    for b in range(file["branch"].size):
        value = 0
        for names, rows in zip(listed(), ([b], file["point_branch"][:] == b, file["special_branch"][:] == b)):
            for name in names:
                value = zlib.crc32(file[name][:][rows].tobytes(), value)
        sums.append(value)
    return sums


def verify_of_the_whole(r):
    out = says(r, ["verify", "whole"], GOOD, "3, all of them match their checksums", "whole and complete")
    check(out.partition("\n")[2] == said(r, "verify", "whole/branches.h5").partition("\n")[2], "verify says other things of the file than of its folder")
    for name in "whole", "stopped":
        with h5py.File(r.folder / name / "branches.h5") as file:
            check(file["branch_checksum"][:].tolist() == checksums(file), f"{name}: checksums are not what docs/data.md says")
            for k, dimension in enumerate(("branch", "point", "special")):
                along = {n for n, item in file.items() if isinstance(item, h5py.Dataset) and item.shape and len(item.dims[0])
                         and item.dims[0][0] == file[dimension]}
                check(along - {dimension, "branch_checksum"} == set(listed()[k]), f"{name}: along {dimension} lie {along}, in the checksum {listed()[k]}")
    says(r, ["verify", "stopped"], COME_BACK, "2, all of them match", "branches.journal: 1 of 1 starts, 2 branches", "sound, but not complete")
    says(r, ["verify", "stopped/branches.h5"], COME_BACK, "sound, but not complete")
    says(r, ["verify", "killed"], COME_BACK, "there is no result yet", "1 of 1 starts, 1 branches", "sound, but not complete")


def flip(path, name, row):
    """One bit in a row of a variable, in the file itself."""
    with h5py.File(path) as file:
        place = file[name].id.get_offset() + row * file[name].dtype.itemsize * int(np.prod(file[name].shape[1:], dtype=int))
    with open(path, "r+b") as file:
        file.seek(place)
        byte = file.read(1)[0]
        file.seek(place)
        file.write(bytes([byte ^ 1]))


def verify_of_damage(r):
    """A bit anywhere: the branch is named, and no other but where a row changes hands (branch 1 becomes 0)."""
    path = r.folder / "damaged.h5"
    whole = r.folder / "whole" / "branches.h5"
    with h5py.File(whole) as file:
        point = int(np.flatnonzero(file["point_branch"][:] == 1)[-1])
        special = int(np.flatnonzero(file["special_branch"][:] == 1)[0])
    # the checksums are those of docs/data.md, which has every variable: a few of these do
    for name, where, named in (("branch_why", 1, "branch 1"), ("branch_first_point", 1, "branch 1"), ("branch_n_points", 1, "branch 1"),
                               ("branch_checksum", 1, "branch 1"), ("state", point, "branch 1"), ("stability", point, "branch 1"),
                               ("special_to", special, "branch 1"), ("point_branch", point, "branches 0, 1"), ("special_branch", special, "branches 0, 1")):
        shutil.copy(whole, path)
        flip(path, name, where)
        says(r, ["verify", path], FILES, f"damaged.h5 is damaged: {named}, see above", "not what the checksum says")
    changes = [
        ("branches 0, 1, 2", lambda f: f["branch_modes"].__setitem__(slice(None), 7)),
        ("/stability", lambda f: f.__delitem__("stability")),
        ("/branch_checksum", lambda f: f.__delitem__("branch_checksum")),
        ("/parameter is of a type", lambda f: (f.__delitem__("parameter"), f.__setitem__("parameter", np.zeros(2, np.float32)))),
        ("/parameter has another type", lambda f: (f.__delitem__("parameter"), f.__setitem__("parameter", np.zeros(2, np.int32)))),
        ("/parameter has not the shape", lambda f: (f.__delitem__("parameter"), f.__setitem__("parameter", np.zeros(2)))),
        ("attribute `complete`", lambda f: f.attrs.__setitem__("complete", np.int8(3))),
        ("attribute `complete`", lambda f: f.attrs.__delitem__("complete")),
        ("'frequency' was continued, 'amplitude' was asked for", lambda f: f.attrs.__setitem__("continued_parameter", np.bytes_("frequency"))),
        ("its tables", lambda f: (f["branch_depth"].__setitem__(1, 7), f["branch_checksum"].__setitem__(slice(None), checksums(f)))),
        ("-damping_ratio", lambda f: f["parameters"].attrs.__setitem__("damping_ratio", 1.5)),
        ("not a result of graze", lambda f: f.attrs.__setitem__("source", np.bytes_("somebody else"))),
    ]
    for text, change in changes:
        shutil.copy(whole, path)
        with h5py.File(path, "r+") as file:
            change(file)
        says(r, ["verify", path], FILES, text)
    shutil.copy(whole, path)
    os.truncate(path, path.stat().st_size // 2)
    for command in "info", "verify":
        says(r, [command, path], FILES, "truncated")
    says(r, ["info", "-state", path], FAILS, "failed: ")


def info_of_damage(r):
    path = r.folder / "damaged.h5"
    changes = [
        ("no /branch_period", lambda f: f.__delitem__("branch_period")),
        ("not a result of graze", lambda f: f.__delitem__("branch_why")),
        ("not a result of graze", lambda f: f.attrs.__setitem__("source", np.bytes_("somebody else"))),
        ("/parameter has another type or shape", lambda f: (f.__delitem__("parameter"), f.__setitem__("parameter", np.zeros(2)))),
        ("branch 1 has points beyond", lambda f: f["branch_first_point"].__setitem__(1, 2**31 - 1)),
        ("branch 1 has points beyond", lambda f: f["branch_first_point"].__setitem__(1, -1)),
        ("branch 1 has points beyond", lambda f: f["branch_n_points"].__setitem__(1, 2**31 - 1)),
        ("branch 1 has points beyond", lambda f: f["branch_n_points"].__setitem__(1, -2**31)),
    ]
    for text, change in changes:
        shutil.copy(r.folder / "whole" / "branches.h5", path)
        with h5py.File(path, "r+") as file:
            change(file)
        says(r, ["info", path], FILES, text)
    shutil.copy(r.folder / "whole" / "branches.h5", path)
    with h5py.File(path, "r+") as file:
        file["special_type"][0], file["branch_origin"][0] = -3, 99
    out = said(r, "info", path)
    check("1 of type -3" in row(out, "special points") and "of origin 99" in row(out, "0"), f"unknown numbers:\n{out}")


def folders(r):
    """What a folder may hold besides: journals that are torn, nobody's, another's; results that are none."""
    journal = (r.folder / "stopped" / "branches.journal").read_bytes()
    result = (r.folder / "stopped" / "branches.h5").read_bytes()
    whole = (r.folder / "whole" / "branches.h5").read_bytes()
    r.run("other", OPTIONS.replace("-continue_min 0.34", "-continue_min 0.35"), "-continue_max_points 3", command="continue")
    other = (r.folder / "other" / "branches.h5").read_bytes()
    end = journal.index(b"continue_max")
    # what there is; info, info -state, verify: exit code and words
    cases = [
        ({"branches.journal": journal + b"torn" * 10}, (GOOD, "2 branches are back"), (COME_BACK, "2 branches"), (COME_BACK, "40 bytes after them")),
        ({"branches.journal": journal[:-7]}, (GOOD, "1 branch is back"), (COME_BACK, "1 branch"), (COME_BACK, "sound")),
        ({"branches.journal": journal[:20]}, (FILES, "is no journal, or damaged"), (FAILS, "is no journal"), (FILES, "damaged: branches.journal")),
        ({"branches.journal": b""}, (FILES, "is no journal, or damaged"), (FAILS, "is no journal"), (FILES, "damaged: branches.journal")),
        ({"branches.journal": journal[:end] + b"C" + journal[end + 1:]}, (FILES, "no journal"), (FAILS, "is no journal"), (FILES, "damaged: branches.journal")),
        ({"branches.h5": result, "branches.journal": journal[:20]}, (GOOD, "is no journal"), (FAILS, "is no journal"), (FILES, "damaged: branches.journal")),
        ({"branches.h5": result}, (GOOD, "incomplete"), (COME_BACK, "2 branches are in the result"), (COME_BACK, "sound")),
        ({"branches.h5": whole, "branches.journal": journal[:20]}, (GOOD, "complete"), (GOOD, "complete: 3"), (GOOD, "whole and complete")),
        ({"branches.h5": b"no HDF5\n"}, (FILES, "not an HDF5 file"), (FAILS, "not an HDF5 file"), (FILES, "not an HDF5 file")),
        ({"branches.h5": b"no HDF5\n", "branches.journal": journal}, (FILES, "not an HDF5 file"), (FAILS, "failed"), (FILES, "not an HDF5 file")),
        ({"used_parameters.yaml": b""}, (FILES, "nor branches.h5"), (FAILS, "nothing was begun"), (FILES, "nor branches.h5")),
    ]
    for i, (contents, *answers) in enumerate(cases):
        folder = r.folder / f"folder{i}"
        folder.mkdir()
        for name, data in contents.items():
            (folder / name).write_bytes(data)
        for words, (code, text) in zip((["info"], ["info", "-state"], ["verify"]), answers):
            says(r, [*words, folder], code, text)
    # the journal of a run with other parameters is none of this result
    (r.folder / "foreign").mkdir()
    (r.folder / "foreign" / "branches.h5").write_bytes(other)
    (r.folder / "foreign" / "branches.journal").write_bytes(journal)
    with h5py.File(r.folder / "foreign" / "branches.h5", "r+") as file:
        file.attrs["complete"] = np.int8(0)
    says(r, ["verify", "foreign"], FILES, "no journal of this run", "damaged: branches.journal")


def main():
    with tempfile.TemporaryDirectory(prefix="graze_continue_info_") as folder:
        r = Runs(folder)
        make(r)
        info_of_the_whole(r)
        info_of_a_part(r)
        info_of_many(r)
        info_of_damage(r)
        verify_of_the_whole(r)
        verify_of_damage(r)
        folders(r)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
