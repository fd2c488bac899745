"""Closed forms and characteristic equations, none of which the program uses: what the rows without a published number are compared with.

values() gives arrays by the names of references.json. Numbers in brackets are equations of docs/theory.md.
"""

import collections
import functools

import numpy as np


def root(f, low, high):
    """Bisection to the last bit; f changes its sign between low and high."""
    positive = f(low) > 0
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if (f(middle) > 0) == positive else (low, middle)
    return middle


def roots(f, grid, n):
    """The first n changes of sign on the grid."""
    values = np.array([f(x) for x in grid])
    return np.array([root(f, grid[i], grid[i + 1]) for i in np.flatnonzero(values[:-1] * values[1:] < 0)[:n]])


def cantilever(n):
    """cos q cosh q = -1, divided by cosh."""
    return roots(lambda q: np.cos(q) + 1 / np.cosh(q), np.arange(0.5, n * np.pi + 1, 0.5), n)


def timoshenko_clamped_free(beta, gamma, w):
    """Determinant of (1.2): u = exp(k x), phi = (k^2 + a)/k exp(k x), a = w^2/(beta gamma); below the cut-off, exponentials at most 1."""
    a, b = w * w / (beta * gamma), w * w / beta
    s = np.roots([1.0, a + b, a * b - a * beta * gamma])  # (k^2 + a)(k^2 + b) = a beta gamma
    p, q = np.sqrt(max(s)), np.sqrt(-min(s))
    P, Q, small, c, d = (p * p + a) / p, (a - q * q) / q, np.exp(-p), np.cos(q), np.sin(q)
    # u and phi of exp(p (x - 1)), exp(-p x), cos(q x), sin(q x)
    return np.linalg.det(np.array([
        [small, 1, 1, 0],  # u(0)
        [P * small, -P, 0, -Q],  # phi(0)
        [P * p, P * p * small, Q * q * c, Q * q * d],  # phi'(1)
        [p - P, (P - p) * small, -(q + Q) * d, (q + Q) * c],  # u'(1) - phi(1)
    ]))


def timoshenko_pinned(beta, gamma, k):
    """Lower root of (13.5)."""
    kappa = k * np.pi
    half = (beta * (1 + gamma) * kappa**2 + beta**2 * gamma) / 2
    return np.sqrt(beta**2 * gamma * kappa**4 / (half + np.sqrt(half**2 - beta**2 * gamma * kappa**4)))


def propagator(D, w, t):
    """Free motion of x'' + 2 D w x' + w^2 x = 0: x, x' after the time t from those before."""
    q, e = w * np.sqrt(1 - D * D), np.exp(-D * w * t)
    c, s = np.cos(q * t), np.sin(q * t) / q
    return e * np.array([[c + D * w * s, s], [-w * w * s, c - D * w * s]])


class Oscillator:
    """x'' + 2 D x' + x = A cos W t, x <= stop: the orbit with one impact in p periods, a root of (15.12), multipliers by (15.8)."""

    def __init__(self, D, W, C, p, A, stop=1):
        self.D, self.W, self.C, self.A, self.T, self.stop = D, W, C, A, 2 * np.pi * p / W, stop
        self.pole = complex(-D, np.sqrt(1 - D * D))
        self.forced = A / complex(1 - W * W, 2 * D * W)

    def start(self, t, v):
        """Forced part at the impact, and the amplitude of the free part that leaves the stop with velocity v."""
        x, dx = (self.forced * np.exp(1j * self.W * t) * factor for factor in (1, 1j * self.W))
        gap = self.stop - x.real
        return gap - 1j * (v - dx.real + self.D * gap) / self.pole.imag, x.real, dx.real

    def misses(self, z):
        a, x, dx = self.start(*z)
        end = a * np.exp(self.pole * self.T)
        return np.array([end.real + x - self.stop, self.C * ((self.pole * end).real + dx) + z[1]])

    def newton(self, z):
        return newton(self.misses, z)

    def path(self, z, t):
        """Displacement at the times t after the impact."""
        a, *_ = self.start(*z)
        return (a * np.exp(self.pole * t) + self.forced * np.exp(1j * self.W * (z[0] + t))).real

    def possible(self, z):
        """Moves away from the stop and stays away."""
        return z[1] < 0 and (self.path(z, np.linspace(0, self.T, 4001)[1:-1]) < self.stop).all()

    def orbit(self):
        """Time of the impact and velocity after it."""
        found = (self.newton((t, v)) for t in np.arange(0, 2 * np.pi / self.W, 0.4) for v in (-0.1, -0.5, -1.5))
        t, v = next(z for z in found if z is not None and self.possible(z))
        return np.array([t % (2 * np.pi / self.W), v])

    def monodromy(self, z):
        before = -z[1] / self.C
        drive = self.A * np.cos(self.W * z[0])
        acceleration = [drive - 2 * self.D * v - self.stop for v in (before, z[1])]
        saltation = np.array([[-self.C, 0], [(self.C * acceleration[0] + acceleration[1]) / before, -self.C]])
        return propagator(self.D, 1, self.T) @ saltation

    def multipliers(self, z):
        return np.linalg.eigvals(self.monodromy(z))

    def slopes(self):
        """alpha, beta of (18.25)."""
        (P11, P12), (P21, P22) = propagator(self.D, 1, self.T)
        e = (1 - P11) / P12
        alpha = (e - P21 - P22 * e) / (1 + 1 / self.C)
        return alpha, alpha - e

    def turns(self):
        """Discriminant of (18.25): 0 at a fold."""
        b = (self.slopes()[1] / self.W) ** 2
        return abs(self.forced) ** 2 * (1 + b) - b * self.stop**2

    def closed(self, sign):
        """Time of the impact and velocity after it, from the root d of (18.25) with this sign of the square root."""
        alpha, beta = self.slopes()
        d = (self.stop + sign * np.sqrt(self.turns())) / (1 + (beta / self.W) ** 2)
        return np.array([np.angle(complex(self.stop - d, -beta * d / self.W) / self.forced) / self.W, alpha * d])

    def doubles(self, sign):
        """(1 + mu_1)(1 + mu_2)"""
        return np.linalg.det(np.eye(2) + self.monodromy(self.closed(sign)))

    def touches(self, sign):
        """The highest of the maxima between two impacts, above the stop."""
        z = self.closed(sign)
        t = np.linspace(0, self.T, 401)[1:-1]
        x = self.path(z, t)
        i = 1 + max(np.flatnonzero((x[1:-1] > x[:-2]) & (x[1:-1] > x[2:])), key=lambda i: x[i + 1])
        at = root(lambda t: self.path(z, t + 1e-4) - self.path(z, t - 1e-4), t[i - 1], t[i + 1])
        return self.path(z, at) - self.stop


def newton(f, z):
    """Zero of f, differences for its derivative; None if there is none near z."""
    z = np.array(z, float)
    for _ in range(60):
        J = np.column_stack([(f(z + h) - f(z - h)) / 2e-6 for h in 1e-6 * np.eye(len(z))])
        step = np.linalg.solve(J, -f(z))
        z += step
        if abs(step).max() < 1e-13:
            return z
    return None


class Impacts:
    """x'' + x = cos W t, x <= stop: n impacts in n periods, each at a time t with a velocity v after it."""

    def __init__(self, W, C, n):
        self.W, self.C, self.n = W, C, n

    def settled(self, stop):
        """Simulated until transients are gone: the last n impacts, in the periods from 0 on."""
        t, v, last = 0.0, -0.5, collections.deque(maxlen=self.n)
        later = np.linspace(0, 3 * np.pi / self.W, 500)[1:]
        for _ in range(600):
            one = Oscillator(0, self.W, self.C, 1, 1, stop)
            i = np.flatnonzero(one.path((t, v), later) > stop)[0]
            hit = root(lambda s: one.path((t, v), s) - stop, later[i - 1], later[i])
            v = -self.C * (one.path((t, v), hit + 1e-6) - one.path((t, v), hit - 1e-6)) / 2e-6
            t += hit
            last.append((t, v))
        period = 2 * np.pi / self.W
        return np.array(last) - [last[0][0] // period * period, 0]

    def misses(self, z):
        """Of impacts and stop: what is 0 on an orbit that doubles, det(1 + M) last."""
        t, v, stop = z[: self.n], z[self.n: -1], z[-1]
        one = Oscillator(0, self.W, self.C, 1, 1, stop)
        end = np.append(t[1:], t[0] + self.n * one.T)
        a, *_ = one.start(t, v)
        free, forced = a * np.exp(one.pole * (end - t)), one.forced * np.exp(1j * self.W * end)
        before = (one.pole * free + 1j * self.W * forced).real
        M = np.eye(2)
        for i in range(self.n):
            load = np.cos(self.W * end[i]) - stop
            M = np.array([[-self.C, 0], [(1 + self.C) * load / before[i], -self.C]]) @ propagator(0, 1, end[i] - t[i]) @ M
        return np.concatenate([(free + forced).real - stop, np.roll(v, -1) + self.C * before, [np.linalg.det(np.eye(2) + M)]])

    def doubling(self, near):
        """Stop at which the orbit that attracts at the stop `near` doubles."""
        return newton(self.misses, [*self.settled(near).T.ravel(), near])[-1]


class TwoModes:
    """x_k'' + 2 D w_k x_k' + w_k^2 x_k = cos(W t) for k = 1, 0 for k = 2, n^T x <= 0: one impact a period, multipliers by (15.8)."""

    w, n, D, C = (1, 3.8), np.array([1, 1.15]), 0.005, 0.95

    def monodromy(self, W):
        T, c = 2 * np.pi / W, np.append(self.n, [0, 0])
        P, F, R = np.zeros((4, 4)), np.zeros((4, 4)), np.eye(4)
        for k, w in enumerate(self.w):
            P[k::2, k::2] = propagator(self.D, w, T)
            F[k::2, k::2] = [[0, 1], [-w * w, -2 * self.D * w]]
        R[2:, 2:] -= (1 + self.C) * np.outer(self.n, self.n) / (self.n @ self.n)
        load = np.array([0, 0, 1, 0])
        forced = np.linalg.solve(1j * W * np.eye(4) - F, load)
        after = np.linalg.solve(np.eye(4) - R @ P, R @ (np.eye(4) - P) @ forced)  # X+ = Re(after exp(i W t)), t of the impact
        for phase in (1j, -1j):  # n^T x = 0
            turn = phase * np.conj(c @ after) / abs(c @ after)
            before = (P @ ((after - forced) * turn) + forced * turn).real
            speed = self.n @ before[2:]
            if speed > 0:
                break
        field = [F @ X + load * turn.real for X in (before, (after * turn).real)]
        return (R + np.outer(field[1] - R @ field[0], c) / speed) @ P

    def multipliers(self, W):
        """The largest first, the one above the real axis before its conjugate."""
        return np.array(sorted(np.linalg.eigvals(self.monodromy(W)), key=lambda m: (-round(abs(m), 9), -m.imag)))


def doubling(low, high):
    """Forcing amplitude at which a multiplier of the orbit of Ghosh and Simpson at W = 0.81 is -1."""
    nearby = Oscillator(0.02, 0.81, 0.9, 2, high).orbit()

    def passed(A):
        oscillator = Oscillator(0.02, 0.81, 0.9, 2, A)
        return np.prod(1 + oscillator.multipliers(oscillator.newton(nearby))).real

    return root(passed, low, high)


def branches():
    """What branches of one-impact orbits run into: theory 18.10."""
    first, second = (functools.partial(Oscillator, 0.02, W, 0.9, 2) for W in (0.81, 0.799))  # of A
    coco, over = functools.partial(Oscillator, 0.05, 1, 0.8, 1), functools.partial(Oscillator, 0, 2.8, 0.8, 1, 1)  # of A; of the stop

    def curve(W):
        return Oscillator(0.02, W, 0.9, 2, 0.5)

    graze = [1 / abs(of(1).forced) for of in (first, second, coco)]  # the forced motion just reaches the stop
    fold = root(lambda A: coco(A).turns(), 0.09, 0.1)
    at = coco(fold)
    doubling = root(lambda stop: over(stop).doubles(-1), -0.1, 0)
    higher = [Impacts(2.8, 0.8, n).doubling(near) for n, near in ((2, -0.04), (4, -0.028), (8, -0.0258), (16, -0.0253))]
    modes = TwoModes()
    sacker = [root(lambda W: abs(modes.multipliers(W)[0]) - 1, *ends) for ends in ((2.6, 2.75), (3.18, 3.22))]
    leaving = [modes.multipliers(W)[0] for W in sacker]
    at_one = max(coco(1).multipliers(coco(1).closed(1)), key=lambda m: m.imag)
    return dict(
        branch_doubling=root(lambda A: first(A).doubles(-1), 0.3465, 0.36),
        branch_ends=np.array([graze[0], root(lambda A: first(A).touches(-1), 0.36, 0.43)]),
        branch_fold=root(lambda A: second(A).turns(), 0.36, 0.37),
        branch_fold_end=graze[1],
        coco_multiplier=np.array([at_one.real, at_one.imag]),
        coco_fold=fold,
        coco_fold_multiplier=np.array([1, at.C**2 * np.exp(-2 * at.D * at.T)]),
        coco_grazing=graze[2],
        stop_fold=root(lambda stop: over(stop).turns(), -2, -1.5),
        stop_ends=np.array([root(lambda stop: over(stop).touches(1), -0.5, -0.3), 1 / (2.8**2 - 1)]),
        stop_velocity=-over(doubling).closed(-1)[1] / 0.8,
        cascade=np.array([doubling, *higher]),
        curve_folds=np.array([root(lambda W: curve(W).turns(), *ends) for ends in ((2.1, 2.3), (2.8, 3))]),
        neimark_sacker=np.array(sacker),
        neimark_sacker_multiplier=np.ravel([(m.real, m.imag) for m in leaving]),
        modes_doubling=root(lambda W: np.linalg.det(np.eye(4) + modes.monodromy(W)), 3.22, 3.3),
    )


def values():
    beta, gamma, D = 4800, 0.25, 0.1
    w = roots(lambda w: timoshenko_clamped_free(beta, gamma, w), np.arange(1, 300, 1.0), 6)
    S = 1 / 3 + 1 / (beta * gamma)
    oscillator = Oscillator(0.05, 1, 0.8, 1, 1)
    impact = oscillator.orbit()
    multiplier = max(oscillator.multipliers(impact), key=lambda m: m.imag)
    # (1.1) with L/h = 10 and kappa/(2 (1 + nu)) at kappa = 5/6, nu = 0.3
    hertz = np.sqrt(2.1e11 * 0.2**2 / 12 / 7800) / 2**2 / (2 * np.pi)
    return dict(
        default_frequency=w,
        compliance=S,
        linf=w[0] ** 2 * S,
        l_plus=2 / (np.pi * np.sqrt(beta * gamma)) * np.arccos(D) / np.sqrt(1 - D * D),
        l_plus_inside=1 / (np.pi * np.sqrt(beta * gamma)) * np.arccos(D) / np.sqrt(1 - D * D),
        cantilever=cantilever(5),
        string=(np.arange(1, 7) - 0.5) * np.pi * 2,
        pinned=np.array([timoshenko_pinned(1200, 5 / 6 / 2.6, k) for k in range(1, 5)]) * hertz,
        impact_phase=impact[0],
        impact_velocity=impact[1],
        impact_multiplier=np.array([multiplier.real, multiplier.imag]),
        doubling=doubling(0.34751, 0.3476),
        **branches(),
    )
