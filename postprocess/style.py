"""style - how the figures look: sizes for a paper column, colours that survive colour blindness, how they are saved.

Figures are made without pyplot, so no display is needed and nothing is shared between them.
"""
import os
import re

import matplotlib
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
import numpy as np

import grazedata

WIDTH = {"column": 3.4, "page": 7.0}  # inches
FORMATS = ("png", "pdf", "svg")
DPI = 300

RC = {
    "font.family": "DejaVu Sans", "mathtext.fontset": "dejavusans",
    "font.size": 8, "axes.labelsize": 8, "axes.titlesize": 8, "xtick.labelsize": 7, "ytick.labelsize": 7, "legend.fontsize": 7,
    "axes.linewidth": 0.6, "xtick.major.width": 0.6, "ytick.major.width": 0.6, "xtick.major.size": 2.5, "ytick.major.size": 2.5,
    "xtick.direction": "out", "ytick.direction": "out", "lines.linewidth": 0.8, "hatch.linewidth": 0.4,
    "legend.frameon": False, "legend.handlelength": 1.2, "legend.handletextpad": 0.4, "legend.columnspacing": 1.0,
    "legend.borderpad": 0.0, "legend.borderaxespad": 0.0,
    "axes.unicode_minus": True, "pdf.fonttype": 42, "svg.hashsalt": "graze", "savefig.dpi": DPI, "figure.dpi": DPI,
    "agg.path.chunksize": 20000,
}

DIRECTION = {"up": "#0072B2", "down": "#E69F00"}
STOP = "#D55E00"
INK = "#202020"

# Up to four curves of one family, in its order: told apart by colour, by lightness and by dashes.
SERIES = (("#E69F00", (0, (1, 1))), ("#56B4E9", (0, (4, 1.2))), ("#0072B2", (0, (5, 1, 1, 1))), ("#202020", "-"))
REDUCED, RIGID = "#0072B2", "#E69F00"  # the two models of the papers: delay equation, rigid impacts

# Periods 1..8 and 9+. With the greys, the violet and the red below no two are closer than 17 in CIELAB, whether seen by full colour
# vision or with any of the three kinds of colour blindness (Machado et al. 2009); tests/post/test_style_colours.py measures it.
PERIODS = ("#332288", "#99DDFF", "#F7CB45", "#AA3377", "#B5E3A1", "#EE6677", "#0072B2", "#661100", "#77AADD")
CHAOTIC, APERIODIC, NOT_SETTLED, QUASI_PERIODIC = "#000000", "#3A3A3A", "#BBBBBB", "#A500FF"
CONTACT_FREE, CONTACT_FREE_HATCH = "#FFFFFF", "#B0B0B0"
FAILED = "#FF0000"

# Branches of orbits: special points told apart by colour and shape, in the order of their types; lines by their colour, no two of
# all these closer than 17 in CIELAB either.
SPECIALS = (  # colour, marker, name in the legend
    ("#FFFFFF", ".", "none"),
    ("#000000", "D", "fold"),
    ("#3CC05A", "o", "period doubling"),
    ("#FF8C00", "h", "Neimark-Sacker"),
    ("#1F5FE0", "s", "branch point"),
    ("#D00028", "v", "grazing onset"),
    ("#D00028", "X", "contacts merge"),
    ("#D00028", "^", "grazing release"),
    ("#D00028", "*", "contacts change"),
)
LINES = ("#4D4D4D", "#7B3FA0", "#C96BB0", "#7A8F6A")
VERDICTS = {1: ("-", "stable"), -1: ((0, (4, 1.5)), "unstable"), 0: ((0, (1, 1.2)), "undecided")}
SAMPLES = "#B4C7D6"


def figure(width, height):
    """An empty Figure, `width` a key of WIDTH, height in inches. Call inside matplotlib.rc_context(RC)."""
    return Figure(figsize=(WIDTH[width], height), layout="constrained")


def context():
    """The settings of every figure, as a context manager: with style.context(): ..."""
    return matplotlib.rc_context(RC)


def period_colour(period):
    """Colour of a period 1, 2, ...; all from 9 on share one."""
    return PERIODS[min(period, len(PERIODS)) - 1]


def long_name(periods):
    """What the colour shared by the periods from 9 on stands for, given those that occur: up to three are named, as in '12, 17'."""
    return ", ".join(map(str, periods)) if len(periods) <= 3 else f"{len(PERIODS)}+"


def listed(periods):
    """Periods that share a colour, for the legend: '8', '8, 16', '8 to 64'."""
    return ", ".join(map(str, periods)) if len(periods) <= 2 else f"{periods[0]} to {periods[-1]}"


def text_colour(background):
    """Black or white, whichever can be read on `background`."""
    r, g, b = matplotlib.colors.to_rgb(background)
    return "white" if 0.299 * r + 0.587 * g + 0.114 * b < 0.55 else "black"


def series(i, count):
    """Colour and dashes of curve i of `count`, as keywords of plot; the last is black and solid."""
    colour, dashes = SERIES[max(len(SERIES) - count + i, 0)]
    return {"color": colour, "linestyle": dashes}


def mosaic(fig, rows, key):
    """Axes by name, of panels in `rows`, lists of names of equal length, and a row named "key" of `key` inches below for legend_row."""
    height = (fig.get_size_inches()[1] - key) / len(rows)
    return fig.subplot_mosaic([*rows, ["key"] * len(rows[0])], gridspec_kw={"height_ratios": [height] * len(rows) + [key]})


def legend_row(ax, handles, columns):
    """A legend of all panels in axes of its own."""
    ax.axis("off")
    ax.legend(handles=handles, loc="center", ncol=columns, handlelength=2.4)


def panel(ax, letter, text=""):
    """Letter of a panel, and what it shows, above its left corner."""
    ax.set_title(f"({letter}) {text}".rstrip(), loc="left")


def unit_label(text):
    """'EI/L^2' as mathematics; non-dimensional symbols are slanted, SI units upright."""
    if not text:
        return ""
    si = all(re.fullmatch(r"1|rad|[mµ]?[mNs]|[msN]\^\d", word) for word in text.replace("/", " ").split())
    shown = text.replace("t0", "t_0").replace("m0", "m_0").replace("rad", r"\mathrm{rad}").replace(" ", r"\,")
    if si:
        shown = r"\mathrm{" + text.replace(" ", r"\ ") + "}"
    return f" (${shown}$)"


def setting(symbol, value, unit=""):
    """'A = 30 L/t0^2' as mathematics, for a title."""
    return f"${symbol} = {value:g}$ {unit_label(unit).strip(' ()')}".rstrip()


def save(fig, paths, caption):
    """Write fig to every path, the format by its ending, with the caption as metadata. OSError if one cannot be written."""
    for path in paths:
        kind = os.path.splitext(path)[1][1:].lower()
        metadata = {"png": {"Description": caption}, "pdf": {"Subject": caption, "CreationDate": None},
                    "svg": {"Description": caption, "Date": None}}[kind]
        fig.savefig(path, format=kind, metadata=metadata)


# --- branches ---

def special_marker(kind, size=4.0):
    """Keywords of plot for special points of a type."""
    colour, marker, _ = SPECIALS[kind]
    larger = {"X": 1.25, "*": 1.55, "h": 1.15, "D": 0.85, "s": 0.9}.get(marker, 1.0)  # so that all look equally large
    return {"linestyle": "none", "marker": marker, "markersize": size * larger, "color": colour, "markeredgecolor": INK,
            "markeredgewidth": 0.35}


def special_handles(kinds):
    """Legend entries for the types of special points that occur."""
    return [Line2D([], [], label=SPECIALS[kind][2], **special_marker(kind)) for kind in sorted(set(kinds))]


def line_colours(periods):
    """{period: colour} of the lines of branches; from the fourth period on, all share one."""
    return {period: LINES[min(i, len(LINES) - 1)] for i, period in enumerate(sorted(set(periods)))}


# --- period codes as colours ---

_GREY_CODES = (  # code, colour, hatch colour or None, name in the legend
    (grazedata.CODE_CHAOTIC, CHAOTIC, None, "chaotic"),
    (grazedata.CODE_QUASI_PERIODIC, QUASI_PERIODIC, None, "quasi-periodic"),
    (grazedata.CODE_APERIODIC, APERIODIC, None, "aperiodic"),
    (grazedata.CODE_NOT_SETTLED, NOT_SETTLED, None, "not settled"),
    (grazedata.CODE_CONTACT_FREE, CONTACT_FREE, CONTACT_FREE_HATCH, "contact-free"),
    (grazedata.CODE_FAILED, FAILED, None, "failed"),
)
HATCH = "//////"


def edges(centres):
    """Borders of the cells around rising `centres`, one more than these; half a unit to each side of a single one."""
    centres = np.asarray(centres, float)
    if len(centres) == 1:
        half = 0.5 * (abs(centres[0]) or 1.0)
        return np.array([centres[0] - half, centres[0] + half])
    middle = 0.5 * (centres[1:] + centres[:-1])
    return np.concatenate([[2 * centres[0] - middle[0]], middle, [2 * centres[-1] - middle[-1]]])


def runs(mask):
    """(first, end) of every run of True in a 1-d mask."""
    step = np.diff(np.concatenate([[0], np.asarray(mask, int), [0]]))
    return list(zip(np.flatnonzero(step == 1), np.flatnonzero(step == -1)))


def draw_codes(ax, x_edges, y_edges, code):
    """Paint period codes, shape [y, x], in the plane; pending cells stay blank, contact-free ones are hatched."""
    palette = [colour for _, colour, _, _ in _GREY_CODES] + list(PERIODS)
    index = np.full(code.shape, -1)
    for i, (grey, _, _, _) in enumerate(_GREY_CODES):
        index[code == grey] = i
    index[code > 0] = len(_GREY_CODES) + np.minimum(code[code > 0], len(PERIODS)) - 1
    ax.pcolormesh(x_edges, y_edges, np.ma.masked_less(index, 0), cmap=matplotlib.colors.ListedColormap(palette),
                  vmin=-0.5, vmax=len(palette) - 0.5, rasterized=True, antialiased=False, linewidth=0)
    draw_hatch(ax, x_edges, y_edges, code == grazedata.CODE_CONTACT_FREE)


def draw_hatch(ax, x_edges, y_edges, mask):
    """Hatch the cells of `mask`, shape [y, x]."""
    for row, y0, y1 in zip(mask, y_edges[:-1], y_edges[1:]):
        spans = [(x_edges[a], x_edges[b] - x_edges[a]) for a, b in runs(row)]
        ax.broken_barh(spans, (y0, y1 - y0), facecolor="none", edgecolor=CONTACT_FREE_HATCH, hatch=HATCH, linewidth=0)


def code_handles(code, periods=True):
    """Legend entries for the codes that occur in the array `code`; periods=False: only those without a period."""
    handles = []
    if periods:
        present = sorted(set(code[code > 0].tolist()))
        long = [p for p in present if p >= len(PERIODS)]
        for p in present[:len(present) - len(long)]:
            handles.append(Patch(facecolor=period_colour(p), label=str(p)))
        if long:
            handles.append(Patch(facecolor=PERIODS[-1], label=long_name(long)))
    for grey, colour, hatch, name in _GREY_CODES:
        if np.any(code == grey):
            handles.append(Patch(facecolor=colour, edgecolor=hatch or colour, hatch=HATCH if hatch else None, linewidth=0.4, label=name))
    return handles


def readable(unit, largest):
    """The Unit with the prefix that suits the value `largest`: m, m/s, N, s, and t0 where it is small. Any other unit as it is."""
    shown = largest * unit.factor
    if unit.text == "t0" and 0 < shown < 0.05:
        return unit._replace(factor=unit.factor * 1e3, text="10^{-3} t0")
    if unit.text not in ("m", "m/s", "N", "s") or not 0 < shown < 0.5:
        return unit
    step, prefix = (1, "m") if shown * 1e3 >= 0.5 else (2, "µ")
    return unit._replace(factor=unit.factor * 1e3**step, text=prefix + unit.text)
