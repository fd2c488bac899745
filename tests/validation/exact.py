"""Closed forms and characteristic equations, none of which the program uses: what the rows without a published number are compared with.

values() gives arrays by the names of references.json. Numbers in brackets are equations of docs/theory.md.
"""

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


class Oscillator:
    """x'' + 2 D x' + x = A cos W t, x <= 1: the orbit with one impact in p periods, a root of (15.12), with (15.8) for its multipliers."""

    def __init__(self, D, W, C, p, A):
        self.D, self.W, self.C, self.A, self.T = D, W, C, A, 2 * np.pi * p / W
        self.pole = complex(-D, np.sqrt(1 - D * D))
        self.forced = A / complex(1 - W * W, 2 * D * W)

    def start(self, t, v):
        """Forced part at the impact, and the amplitude of the free part that leaves x = 1 with velocity v."""
        x, dx = (self.forced * np.exp(1j * self.W * t) * factor for factor in (1, 1j * self.W))
        gap = 1 - x.real
        return complex(gap, -(v - dx.real + self.D * gap) / self.pole.imag), x.real, dx.real

    def misses(self, z):
        a, x, dx = self.start(*z)
        end = a * np.exp(self.pole * self.T)
        return np.array([end.real + x - 1, self.C * ((self.pole * end).real + dx) + z[1]])

    def newton(self, z):
        z = np.array(z, float)
        for _ in range(60):
            J = np.column_stack([(self.misses(z + h) - self.misses(z - h)) / 2e-6 for h in 1e-6 * np.eye(2)])
            step = np.linalg.solve(J, -self.misses(z))
            z += step
            if abs(step).max() < 1e-13:
                return z
        return None

    def possible(self, z):
        """Moves away from the stop and stays away."""
        a, *_ = self.start(*z)
        t = np.linspace(0, self.T, 4001)[1:-1]
        x = (a * np.exp(self.pole * t) + self.forced * np.exp(1j * self.W * (z[0] + t))).real
        return z[1] < 0 and (x < 1).all()

    def orbit(self):
        """Time of the impact and velocity after it."""
        found = (self.newton((t, v)) for t in np.arange(0, 2 * np.pi / self.W, 0.4) for v in (-0.1, -0.5, -1.5))
        t, v = next(z for z in found if z is not None and self.possible(z))
        return np.array([t % (2 * np.pi / self.W), v])

    def multipliers(self, z):
        before = -z[1] / self.C
        drive = self.A * np.cos(self.W * z[0])
        acceleration = [drive - 2 * self.D * v - 1 for v in (before, z[1])]
        saltation = np.array([[-self.C, 0], [(self.C * acceleration[0] + acceleration[1]) / before, -self.C]])
        w, flow = self.pole.imag, np.exp(-self.D * self.T)
        c, s = np.cos(w * self.T), np.sin(w * self.T) / w
        return np.linalg.eigvals(flow * np.array([[c + self.D * s, s], [-s, c - self.D * s]]) @ saltation)


def doubling(low, high):
    """Forcing amplitude at which a multiplier of the orbit of Ghosh and Simpson at W = 0.81 is -1."""
    nearby = Oscillator(0.02, 0.81, 0.9, 2, high).orbit()

    def passed(A):
        oscillator = Oscillator(0.02, 0.81, 0.9, 2, A)
        return np.prod(1 + oscillator.multipliers(oscillator.newton(nearby))).real

    return root(passed, low, high)


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
    )
