/*
  What a grazing contact does to the stroboscopic map: a kink of slope about 1/L+ in the exact flow, a square root in the restitution
  model of the same modes.   [theory 18.4]

  The contact-free orbit of the default beam, and a stop that it just touches. A disturbance of the state lets the motion without stop
  pass it by a depth; how far apart the maps with and without stop are is measured against that depth.

  Exact numbers: the load moves mode 2 alone, so that the tip of the orbit is Re Y e^{iWt}, it grazes at -|Y| and turns with the
  acceleration W^2 |Y|.
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include <complex.h>
#include <math.h>
#include <slepcsys.h>
#include <stdlib.h>
#include <string.h>

#include "graze/orbit.h"
#include "support/default_case.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

/* A stop that nothing here reaches, near the orbit (-0.098) so that depths, differences of gaps, lose no digits. */
static const PetscReal far         = -0.13;
static const PetscReal restitution = 0.8;

typedef struct {
  Case       c;
  PetscReal  stop, turn; /* touched by the orbit; acceleration there */
  PetscReal *x, *image;  /* the orbit at the strobe; image without stop; shape [n] */
} Grazing;

typedef struct {
  PetscReal depth;    /* by which the motion without stop passes it */
  PetscReal apart;    /* energy norm of the difference of the images */
  PetscReal impulse;  /* of all contacts */
  PetscReal onset;    /* of the first: time before the next strobe */
  PetscReal velocity; /* there */
  PetscInt  contacts;
} Passing;

static void SetStop(Grazing *g, PetscReal stop)
{
  Params params = g->c.params;

  params.stop_position = stop;
  GOOD(FlowSetParams(g->c.flow, &params));
  CaseSetForcing(&g->c, params.forcing_amplitude, params.forcing_frequency);
}

/* From the orbit, mode 1 displaced by `off`. */
static void Run(Grazing *g, PetscReal off, FlowRecord *record)
{
  memcpy(g->c.state.x, g->x, sizeof(PetscReal) * (size_t)g->c.n);
  g->c.state.contact = PETSC_FALSE;
  g->c.state.x[0] += off;
  assert_int_equal(CaseRun(&g->c, 1, record), FLOW_GOOD);
  assert_false(g->c.state.contact);
}

static void GrazingCreate(FlowType flow, PetscInt modes, Grazing *g)
{
  Params           params;
  Orbit            orbit;
  OrbitReason      reason;
  const FlowState *point;
  const PetscReal *w, *tip;
  FlowRecord       record = {.capacity = 0};
  PetscReal        Y;

  CaseParams(modes, &params);
  params.flow                    = flow;
  params.restitution_coefficient = restitution;
  params.stop_position           = far;
  params.initial_displacement = params.initial_velocity = 0.0;
  CaseCreate(&params, NULL, &g->c);
  GOOD(OrbitCreate(PETSC_COMM_SELF, &orbit));
  GOOD(OrbitSetFlow(orbit, g->c.flow));
  GOOD(OrbitSolve(orbit, 1, &g->c.state, &reason));
  assert_int_equal(reason, ORBIT_FOUND);
  GOOD(OrbitGetState(orbit, 0, &point));
  g->x     = malloc(sizeof(PetscReal) * (size_t)g->c.n);
  g->image = malloc(sizeof(PetscReal) * (size_t)g->c.n);
  assert_non_null(g->x);
  assert_non_null(g->image);
  memcpy(g->x, point->x, sizeof(PetscReal) * (size_t)g->c.n);
  GOOD(OrbitDestroy(&orbit));

  Run(g, 0.0, &record);
  assert_int_equal(record.count, 0);
  g->stop = far + record.min_gap;
  GOOD(ReceptanceGetModes(g->c.receptance, NULL, &w, NULL, &tip, NULL));
  /* a load on mode 2 is 30 cos 13 t on the tip coordinate of that mode */
  Y       = cabs(30.0 / (w[1] * w[1] - 169.0 + 2.0 * I * 0.1 * w[1] * 13.0));
  g->turn = 169.0 * Y;
  Near(g->stop, -Y, 1e-13, "where the orbit grazes"); /* Newton's residual */
}

static void GrazingDestroy(Grazing *g)
{
  free(g->x);
  free(g->image);
  CaseDestroy(&g->c);
}

static void Pass(Grazing *g, PetscReal off, Passing *passing)
{
  enum { MOST = 8 };
  Contact    contact[MOST];
  FlowRecord record = {.capacity = MOST, .contact = contact};

  SetStop(g, far);
  Run(g, off, &record);
  assert_int_equal(record.count, 0);
  memcpy(g->image, g->c.state.x, sizeof(PetscReal) * (size_t)g->c.n);
  passing->depth = g->stop - (far + record.min_gap);

  SetStop(g, g->stop);
  Run(g, off, &record);
  assert_true(record.count <= MOST);
  passing->contacts = record.count;
  passing->apart    = CaseDistance(&g->c, g->c.state.x, g->image);
  passing->impulse  = 0.0;
  passing->velocity = record.count > 0 ? contact[0].velocity : 0.0;
  passing->onset    = record.count > 0 ? (1.0 - contact[0].phase) * g->c.period : 0.0;
  for (PetscInt i = 0; i < record.count; ++i) passing->impulse += contact[i].impulse;
}

/*
  Energy norm of what a unit impulse on the tip has become after t: n_k (h_k, h_k') in each mode, h_k = e^{-D w t} sin(w_d t)/w_d. The
  tail has forgotten it: e^{-b t/2}, b > 2000.
*/
static PetscReal Response(const Grazing *g, PetscReal t)
{
  const PetscReal *w, *r;
  PetscInt         M;
  PetscReal        sum = 0.0;

  GOOD(ReceptanceGetModes(g->c.receptance, &M, &w, &r, NULL, NULL));
  for (PetscInt k = 0; k < M; ++k) {
    const PetscReal wd = w[k] * sqrt(0.99), decay = exp(-0.1 * w[k] * t), s = sin(wd * t), c = cos(wd * t);

    sum += r[k] * PetscSqr(decay) * (PetscSqr(w[k] * s / wd) + PetscSqr(c - 0.1 * w[k] * s / wd));
  }
  assert_true(t > 0.05);
  return sqrt(sum);
}

/* log(apart) against log(depth), least squares over off = -10^{-from} ... -10^{-to} */
static PetscReal Exponent(Grazing *g, int from, int to)
{
  PetscReal n = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;

  for (int decade = from; decade <= to; ++decade) {
    Passing   p;
    PetscReal u, v;

    Pass(g, -pow(10.0, -decade), &p);
    assert_int_equal(p.contacts, 1);
    u = log(p.depth);
    v = log(p.apart);
    n += 1.0;
    x += u;
    y += v;
    xx += u * u;
    xy += u * v;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

/* On the side where the stop is not reached it has no effect, to the bit; that the map is continuous is said by the exponents below. */
static void grazing_other_side_is_free(void **state)
{
  (void)state;
  for (int flow = 0; flow < 2; ++flow) {
    Grazing g;

    GrazingCreate(flow ? FLOW_RESTITUTION : FLOW_EXACT, 20, &g);
    for (int decade = 3; decade <= 10; ++decade) {
      Passing p;

      Pass(&g, pow(10.0, -decade), &p);
      assert_true(p.depth < 0.0 && p.contacts == 0 && p.apart == 0.0);
    }
    GrazingDestroy(&g);
  }
}

/*
  The exact flow. With free motion at velocity -v + a t at the stop, f L+ + c ∫f = v - a t, c = g_H'(0+) = sum r_k + a_T - b L+, from
  s H = L+ + c/s + ...: f falls to 0 at t = v/a + ..., with the impulse

      L+ I / depth = 1 - (2/3) (c/L+) tau + ...,   tau = v/a = sqrt(2 depth/a).                                      (18.14)

  c/L+ is 1000 (M = 20) to 4000 (M = 80): the limit holds for contacts much shorter than 1e-3. The next terms are of the order
  (c tau/L+)^2, twice that as measured.
*/
static void grazing_is_a_kink_in_the_exact_flow(void **state)
{
  (void)state;
  for (PetscInt modes = 20; modes <= 80; modes *= 2) {
    const Tail      *tail;
    const PetscReal *r;
    PetscReal        L_plus, c = 0.0;
    PetscInt         M;
    Grazing          g;

    GrazingCreate(FLOW_EXACT, modes, &g);
    GOOD(ReceptanceGetTail(g.c.receptance, &tail, &L_plus, NULL));
    GOOD(ReceptanceGetModes(g.c.receptance, &M, NULL, &r, NULL, NULL));
    for (PetscInt k = 0; k < M; ++k) c += r[k];
    c += tail->a - tail->b * L_plus;
    /* (18.14): the ratio grows from 0.92 to 1 on the way, which takes 0.01 off the exponent over three decades */
    Near(Exponent(&g, 7, 10), 1.0, 0.02, "exponent");
    for (int decade = 9; decade <= 10; ++decade) {
      Passing   p;
      PetscReal tau, first;

      Pass(&g, -pow(10.0, -decade), &p);
      tau = sqrt(2.0 * p.depth / g.turn);
      assert_int_equal(p.contacts, 1);
      first = c * tau / L_plus; /* 0.004 to 0.05 */
      Near(L_plus * p.impulse / p.depth, 1.0 - 2.0 / 3.0 * first, 3.0 * first * first, "L+ impulse / depth");
      Near(p.velocity, -g.turn * tau, 1e-5 * g.turn * tau, "velocity"); /* the disturbance adds its own acceleration, 1e-7 of it */
      /* so the slope is Response/L+; the force falls like a line, with its centre at a third of tau */
      Near(p.apart / p.impulse, Response(&g, p.onset - tau / 3.0), 1e-5, "what an impulse leaves");
    }
    GrazingDestroy(&g);
  }
}

/*
  The restitution model: velocity sqrt(2 a depth) at the impact, impulse (1 + C_R) v / n.n (15.1), whatever comes after it.
*/
static void grazing_is_a_square_root_with_restitution(void **state)
{
  (void)state;
  for (PetscInt modes = 20; modes <= 40; modes *= 2) {
    const PetscReal *r;
    PetscReal        nn = 0.0;
    PetscInt         M;
    Grazing          g;
    Passing          p;

    GrazingCreate(FLOW_RESTITUTION, modes, &g);
    GOOD(ReceptanceGetModes(g.c.receptance, &M, NULL, &r, NULL, NULL));
    for (PetscInt k = 0; k < M; ++k) nn += r[k];
    /* the acceleration and the time left change with the disturbance by some of its size, 1e-5 to 1e-10: 1e-5/log(1e5) and more */
    Near(Exponent(&g, 5, 10), 0.5, 1e-4, "exponent");
    for (int decade = 5; decade <= 9; ++decade) {
      const PetscReal disturbed = 10.0 * pow(10.0, -decade) + 1e-7; /* 1e-7: depths of 1e-9 are known to 1e-16 */

      Pass(&g, -pow(10.0, -decade), &p);
      Near(p.velocity / sqrt(p.depth), -sqrt(2.0 * g.turn), disturbed * sqrt(2.0 * g.turn), "velocity / sqrt(depth)");
      Near(p.apart / sqrt(p.depth), (1.0 + restitution) * sqrt(2.0 * g.turn) / nn * Response(&g, p.onset), disturbed,
           "apart / sqrt(depth)");
    }
    GrazingDestroy(&g);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(grazing_other_side_is_free), cmocka_unit_test(grazing_is_a_kink_in_the_exact_flow),
                                     cmocka_unit_test(grazing_is_a_square_root_with_restitution)};
  int                     failed;

  if (SlepcInitialize(&argc, &argv, NULL, NULL)) return 1;
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  return SlepcFinalize() || failed;
}
