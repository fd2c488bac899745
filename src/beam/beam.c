/*
  beam.c - a beam on Chebyshev points: the part that all models share.   [theory 1, 2]

  The grid (points, weights, interpolation) lives as long as the beam. The operator and the matrices behind the energies are
  built on first use and can be dropped with BeamReleaseOperator(), so that a spectrum may keep many grids and few matrices.
*/
#include "beam_impl.h"

/*
  BeamCreate - An empty beam.

  Collective on comm, which has one rank in this program (PETSC_COMM_SELF).
*/
PetscErrorCode BeamCreate(MPI_Comm comm, Beam *beam)
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCheck(size == 1, comm, PETSC_ERR_PLIB, "a beam is sequential: its communicator has one rank, not %d", size);
  PetscCall(PetscNew(beam));
  (*beam)->comm = comm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  BeamSetParams - Choose the model and its parameters.   [theory 1]

  Not collective.
  Input:   params - non-dimensional: beam_model, beam_ends, beam_beta, beam_gamma, beam_wave_speed, contact_position; borrowed until
           BeamDestroy(). BEAM_MODES is no beam
*/
PetscErrorCode BeamSetParams(Beam beam, const Params *params)
{
  PetscFunctionBeginUser;
  PetscCheck(!beam->set_up, beam->comm, PETSC_ERR_PLIB, "the parameters of a beam are set before BeamSetUp");
  beam->params = params;
  switch (params->beam_model) {
  case BEAM_TIMOSHENKO:
    PetscCall(BeamCreate_Timoshenko(beam));
    break;
  case BEAM_EULER_BERNOULLI:
    PetscCall(BeamCreate_EulerBernoulli(beam));
    break;
  case BEAM_STRING:
  case BEAM_ROD:
    PetscCall(BeamCreate_String(beam));
    break;
  default:
    SETERRQ(beam->comm, PETSC_ERR_PLIB, "no beam model %d", (int)params->beam_model);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* BeamSetPoints - N+1 Chebyshev-Gauss-Lobatto points on [0,1], N >= 4. Not collective. */
PetscErrorCode BeamSetPoints(Beam beam, PetscInt N)
{
  PetscFunctionBeginUser;
  PetscCheck(!beam->set_up, beam->comm, PETSC_ERR_PLIB, "the points of a beam are set before BeamSetUp");
  PetscCheck(N >= 4, beam->comm, PETSC_ERR_PLIB, "a beam needs N >= 4, not %" PetscInt_FMT, N);
  beam->N = N;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  BeamSetUp - Points, weights and end conditions. Idempotent; called by every function that needs it.   [theory 2]

  Not collective. Cost: O(N^2).
*/
PetscErrorCode BeamSetUp(Beam beam)
{
  PetscReal *first;
  PetscBool  free[2], turns[2];

  PetscFunctionBeginUser;
  if (beam->set_up) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(beam->params, beam->comm, PETSC_ERR_PLIB, "BeamSetParams comes before BeamSetUp");
  PetscCheck(beam->N > 0, beam->comm, PETSC_ERR_PLIB, "BeamSetPoints comes before BeamSetUp");
  PetscCall(ChebyshevCreate(beam->N, &beam->grid));
  beam->n = beam->ops.size(beam);
  PetscCall(PetscMalloc1((size_t)(beam->N + 1) * (size_t)(beam->N + 1), &first));
  PetscCall(ChebyshevDifferentiation(beam->N, first, NULL));
  for (int e = 0; e < 2; e++) {
    free[e]  = BeamEnd_Private(beam->params, e) == END_FREE ? PETSC_TRUE : PETSC_FALSE;
    turns[e] = BeamEnd_Private(beam->params, e) != END_CLAMPED ? PETSC_TRUE : PETSC_FALSE;
  }
  PetscCall(EndsCreate(beam->N, first, free, &beam->end_u));
  PetscCall(EndsCreate(beam->N, first, turns, &beam->end_phi));
  PetscCall(PetscFree(first));
  beam->set_up = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BeamDestroy(Beam *beam)
{
  PetscFunctionBeginUser;
  if (!*beam) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(BeamReleaseOperator(*beam));
  PetscCall(EndsDestroy(&(*beam)->end_u));
  PetscCall(EndsDestroy(&(*beam)->end_phi));
  PetscCall(ChebyshevDestroy(&(*beam)->grid));
  PetscCall(PetscFree(*beam));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  BeamGetOperator - x_tt = -K x + b f, y1 = c x + d f.   [theory 2]

  Not collective.
  Output:  K - dense [n, n], NULL if the model has a flexibility instead;  b, c - [n], NULL unless the contact point is a free end;
           d - feed-through of the massless tip; any may be NULL. Borrowed until BeamReleaseOperator() or BeamDestroy()
  Cost:    O(N^2) at the first call
*/
PetscErrorCode BeamGetOperator(Beam beam, Mat *K, Vec *b, Vec *c, PetscReal *d)
{
  PetscFunctionBeginUser;
  PetscCall(BeamSetUp(beam));
  if (!beam->K && beam->ops.fill) {
    const PetscBool tip = BeamContactIsFreeEnd_Private(beam->params);
    const PetscInt n      = beam->n;
    const size_t   square = (size_t)(beam->N + 1) * (size_t)(beam->N + 1);
    PetscReal     *first, *second, *array_K, *array_b = NULL, *array_c = NULL;
    PetscCall(PetscMalloc2(square, &first, square, &second));
    PetscCall(ChebyshevDifferentiation(beam->N, first, second));
    PetscCall(MatCreateDense(beam->comm, n, n, n, n, NULL, &beam->K));
    PetscCall(MatDenseGetArrayWrite(beam->K, &array_K));
    if (tip) {
      PetscCall(MatCreateVecs(beam->K, &beam->c, &beam->b));
      PetscCall(VecGetArrayWrite(beam->b, &array_b));
      PetscCall(VecGetArrayWrite(beam->c, &array_c));
    }
    PetscCall(beam->ops.fill(beam, first, second, array_K, array_b, array_c, &beam->d));
    if (tip) {
      PetscCall(VecRestoreArrayWrite(beam->c, &array_c));
      PetscCall(VecRestoreArrayWrite(beam->b, &array_b));
    }
    PetscCall(MatDenseRestoreArrayWrite(beam->K, &array_K));
    PetscCall(MatAssemblyBegin(beam->K, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(beam->K, MAT_FINAL_ASSEMBLY));
    PetscCall(PetscFree2(first, second));
  }
  if (K) *K = beam->K;
  if (b) *b = beam->b;
  if (c) *c = beam->c;
  if (d) *d = beam->d;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  BeamGetFlexibility - J: u = J x by coordinates x in which twice the elastic energy is x.x, u in an orthonormal basis.   [theory 13]

  The singular values of J are 1 / w_k, and its right singular vectors are what BeamExpand() takes.

  Not collective.
  Output:  J - dense [n+2, n], NULL if the model has an operator instead. Borrowed until BeamReleaseOperator() or BeamDestroy()
  Cost:    O(N^2) at the first call
*/
PetscErrorCode BeamGetFlexibility(Beam beam, Mat *J)
{
  PetscReal *array;

  PetscFunctionBeginUser;
  PetscCall(BeamSetUp(beam));
  if (!beam->J && beam->ops.flexibility) {
    const PetscInt n = beam->n;
    PetscCall(MatCreateDense(beam->comm, n + 2, n, n + 2, n, NULL, &beam->J));
    PetscCall(MatDenseGetArrayWrite(beam->J, &array));
    PetscCall(beam->ops.flexibility(beam, n + 2, n, array));
    PetscCall(MatDenseRestoreArrayWrite(beam->J, &array));
    PetscCall(MatAssemblyBegin(beam->J, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(beam->J, MAT_FINAL_ASSEMBLY));
  }
  *J = beam->J;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  BeamGetMetric - The kinetic inner product, lumped on the unknowns.   [theory 1, 2]

  In unknowns sqrt(metric_i) x_i the operator is nearly symmetric: eigensolvers that do not balance need this scaling.

  Not collective.
  Output:  metric - [n], positive; a vector made by MatCreateVecs() of the operator. Not for models without one
*/
PetscErrorCode BeamGetMetric(Beam beam, Vec metric)
{
  PetscReal *array;

  PetscFunctionBeginUser;
  PetscCall(BeamSetUp(beam));
  PetscCheck(beam->ops.metric, beam->comm, PETSC_ERR_PLIB, "a beam given by its flexibility has no metric");
  PetscCall(VecGetArrayWrite(metric, &array));
  PetscCall(beam->ops.metric(beam, array));
  PetscCall(VecRestoreArrayWrite(metric, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* BeamReleaseOperator - Drop every matrix; the grid stays. They are built again when asked for. Not collective. */
PetscErrorCode BeamReleaseOperator(Beam beam)
{
  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&beam->K));
  PetscCall(MatDestroy(&beam->J));
  PetscCall(VecDestroy(&beam->b));
  PetscCall(VecDestroy(&beam->c));
  PetscCall(MatDestroy(&beam->first));
  PetscCall(MatDestroy(&beam->halfway));
  PetscCall(PetscFree(beam->weights2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  BeamExpand - Unknowns to values at all points, the ends restored with f = 0.   [theory 2]

  Not collective.
  Input:   x - [n]
  Output:  u, phi - [N+1]; phi may be NULL
*/
PetscErrorCode BeamExpand(Beam beam, const PetscReal *x, PetscReal *u, PetscReal *phi)
{
  PetscFunctionBeginUser;
  PetscCall(BeamSetUp(beam));
  PetscCall(beam->ops.expand(beam, x, u, phi));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BeamGetGrid(Beam beam, PetscInt *N, const PetscReal **xi, const PetscReal **weights)
{
  PetscFunctionBeginUser;
  PetscCall(BeamSetUp(beam));
  if (N) *N = beam->N;
  if (xi) *xi = beam->grid.x;
  if (weights) *weights = beam->grid.weights;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  BeamInterpolationRow - row[N+1] such that row . values interpolates at x in [0,1].   [theory 2]

  Not collective. Cost: O(N).
*/
PetscErrorCode BeamInterpolationRow(Beam beam, PetscReal x, PetscReal *row)
{
  PetscFunctionBeginUser;
  PetscCall(BeamSetUp(beam));
  PetscCheck(x >= 0.0 && x <= 1.0, beam->comm, PETSC_ERR_PLIB, "a point on the beam is in [0,1], not %g", (double)x);
  PetscCall(ChebyshevInterpolationRow(&beam->grid, x, 1.0 - x, row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  BeamInterpolate - The polynomial through values[N+1], at x in [0,1].   [theory 2]

  Not collective. Cost: O(N).
*/
PetscErrorCode BeamInterpolate(Beam beam, const PetscReal *values, PetscReal x, PetscReal *value)
{
  PetscReal *row, sum = 0.0;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(beam->N + 1, &row));
  PetscCall(BeamInterpolationRow(beam, x, row));
  for (PetscInt j = 0; j <= beam->N; j++) sum += row[j] * values[j];
  PetscCall(PetscFree(row));
  *value = sum;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* d/dx, the interpolation to the N points halfway (in angle) between the points, and the weights of both together. */
static PetscErrorCode SetUpEnergies_Private(Beam beam)
{
  const PetscInt N = beam->N;
  Chebyshev      fine;
  PetscReal     *array, *row;

  PetscFunctionBeginUser;
  if (beam->first) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatCreateDense(beam->comm, N + 1, N + 1, N + 1, N + 1, NULL, &beam->first));
  PetscCall(MatDenseGetArrayWrite(beam->first, &array));
  PetscCall(ChebyshevDifferentiation(N, array, NULL));
  PetscCall(MatDenseRestoreArrayWrite(beam->first, &array));
  PetscCall(MatAssemblyBegin(beam->first, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(beam->first, MAT_FINAL_ASSEMBLY));

  PetscCall(ChebyshevCreate(2 * N, &fine));
  PetscCall(PetscMalloc1(N + 1, &row));
  PetscCall(MatCreateDense(beam->comm, N, N + 1, N, N + 1, NULL, &beam->halfway));
  PetscCall(MatDenseGetArrayWrite(beam->halfway, &array));
  for (PetscInt i = 0; i < N; i++) {
    PetscCall(ChebyshevInterpolationRow(&beam->grid, fine.x[2 * i + 1], fine.y[2 * i + 1], row));
    for (PetscInt j = 0; j <= N; j++) array[i + j * N] = row[j];
  }
  PetscCall(MatDenseRestoreArrayWrite(beam->halfway, &array));
  PetscCall(MatAssemblyBegin(beam->halfway, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(beam->halfway, MAT_FINAL_ASSEMBLY));
  PetscCall(PetscMalloc1(2 * N + 1, &beam->weights2));
  PetscCall(PetscArraycpy(beam->weights2, fine.weights, 2 * N + 1));
  PetscCall(PetscFree(row));
  PetscCall(ChebyshevDestroy(&fine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  BeamGetEnergies - mass = <v,v> and stiffness = a(v,v) of m deflected shapes.   [theory 1, 2]

  The quotient stiffness / mass is the weak form of w^2: its error is the square of the error of the shape, and it holds only
  first derivatives, so that round-off is near the last bit where eigenvalues of K have lost five digits.

  Not collective.
  Input:   m - number of shapes;  u, phi - values at all points, [N+1, m], column-major
  Output:  mass, stiffness - [m]
  Cost:    O(m N^2)
*/
PetscErrorCode BeamGetEnergies(Beam beam, PetscInt m, const PetscReal *u, const PetscReal *phi, PetscReal *mass, PetscReal *stiffness)
{
  const PetscInt   N = beam->N, p = N + 1, block = p * m;
  Mat              fields, slopes, between; /* columns: u of all shapes, phi of all shapes, then the same of their derivatives */
  PetscReal       *on;
  const PetscReal *slope, *off;

  PetscFunctionBeginUser;
  if (m == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(BeamSetUp(beam));
  PetscCall(SetUpEnergies_Private(beam));
  PetscCall(MatCreateDense(beam->comm, p, 2 * m, p, 2 * m, NULL, &fields));
  PetscCall(MatDenseGetArrayWrite(fields, &on));
  PetscCall(PetscArraycpy(on, u, block));
  PetscCall(PetscArraycpy(on + block, phi, block));
  PetscCall(MatDenseRestoreArrayWrite(fields, &on));
  PetscCall(MatMatMult(beam->first, fields, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &slopes));
  PetscCall(MatDestroy(&fields));

  PetscCall(MatCreateDense(beam->comm, p, 4 * m, p, 4 * m, NULL, &fields));
  PetscCall(MatDenseGetArrayWrite(fields, &on));
  PetscCall(MatDenseGetArrayRead(slopes, &slope));
  PetscCall(PetscArraycpy(on, u, block));
  PetscCall(PetscArraycpy(on + block, phi, block));
  PetscCall(PetscArraycpy(on + 2 * block, slope, 2 * block));
  PetscCall(MatDenseRestoreArrayRead(slopes, &slope));
  PetscCall(MatDenseRestoreArrayWrite(fields, &on));
  PetscCall(MatMatMult(beam->halfway, fields, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &between));

  PetscCall(MatDenseGetArray(fields, &on));
  PetscCall(MatDenseGetArrayRead(between, &off));
  for (PetscInt k = 0; k < m; k++) {
    mass[k] = stiffness[k] = 0.0;
    for (PetscInt i = 0; i <= 2 * N; i++) { /* even i: a point of the grid; odd i: halfway to the next */
      const PetscInt   rows = i % 2 ? N : p, stride = rows * m;
      const PetscReal *v = (i % 2 ? off : on) + i / 2 + k * rows;
      PetscReal        mass_density, stiffness_density;
      beam->ops.energies(beam, v[0], v[stride], v[2 * stride], v[3 * stride], &mass_density, &stiffness_density);
      mass[k] += beam->weights2[i] * mass_density;
      stiffness[k] += beam->weights2[i] * stiffness_density;
    }
  }
  PetscCall(MatDenseRestoreArrayRead(between, &off));
  PetscCall(MatDenseRestoreArray(fields, &on));
  PetscCall(MatDestroy(&between));
  PetscCall(MatDestroy(&slopes));
  PetscCall(MatDestroy(&fields));
  PetscFunctionReturn(PETSC_SUCCESS);
}
