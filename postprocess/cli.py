"""cli - what the plot commands share: options, notes and errors of one line, exit codes as those of graze (see README)."""
import argparse
import importlib.util
import os
import sys

EXIT_OPTIONS, EXIT_FILES, EXIT_PACKAGES, EXIT_IO = 64, 65, 69, 74

# Before the imports that need them: a Python without these is something the user can mend.
_missing = [name for name in ("numpy", "h5py", "xarray", "h5netcdf", "matplotlib") if importlib.util.find_spec(name) is None]
if _missing:
    print(f"{os.path.basename(sys.argv[0])}: this Python ({sys.executable}) has no {', '.join(_missing)}; "
          "use the one that ./quickstart names", file=sys.stderr)
    sys.exit(EXIT_PACKAGES)

import grazedata  # noqa: E402
import style  # noqa: E402


class Parser(argparse.ArgumentParser):
    """Complains in one line and exits with 64, as graze does."""

    def error(self, message):
        print(f"{self.prog}: {message} (see {self.prog} --help)", file=sys.stderr)
        sys.exit(EXIT_OPTIONS)


def parser(description, file_help, figure_width):
    """A Parser with the arguments every plot has: FILE, -o, --width, --si."""
    p = Parser(description=description, allow_abbrev=False)
    p.add_argument("file", metavar="FILE", help=file_help)
    p.add_argument("-o", dest="output", metavar="OUT", nargs="+", type=_picture,
                   help="pictures to write, by ending: png, pdf, svg (default: png and pdf beside FILE)")
    p.add_argument("--width", choices=sorted(style.WIDTH), default=figure_width,
                   help=f"of a paper: one column, 3.4 in, or the page, 7 in (default {figure_width})")
    p.add_argument("--si", action="store_true", help="SI units (needs a file whose input was SI)")
    return p


def _picture(text):
    if os.path.splitext(text)[1][1:].lower() not in style.FORMATS:
        raise argparse.ArgumentTypeError(f"'{text}' does not end in .png, .pdf or .svg")
    return text


def note(message):
    """One line for the user that is no error."""
    print(f"note: {message}", file=sys.stderr)


def note_pending(ds):
    pending, cells = grazedata.pending_cells(ds)
    if pending:
        note(f"the run is not complete: {pending} of {cells} cells are pending")


def outputs(args, stem):
    """The paths to write: those asked for, or stem.png and stem.pdf beside the file."""
    folder = os.path.dirname(args.file)
    return args.output or [os.path.join(folder, f"{stem}.{kind}") for kind in ("png", "pdf")]


def run(main, argv=None):
    """Call main(argv); turn what the user can mend into one line on stderr and an exit code."""
    program = os.path.basename(sys.argv[0])
    try:
        return main(argv)
    except grazedata.DataError as error:
        print(f"{program}: {error}", file=sys.stderr)
        return EXIT_FILES
    except OSError as error:
        print(f"{program}: {error.filename or 'output'}: {error.strerror or error}", file=sys.stderr)
        return EXIT_IO


def finish(fig, paths, caption):
    """Save the figure, then say where it is and what a caption should state."""
    style.save(fig, paths, caption)
    for path in paths:
        print(path)
    print(caption)
