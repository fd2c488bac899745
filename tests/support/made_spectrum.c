/*
  made_spectrum.c - see made_spectrum.h.
*/
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above first */
#include <cmocka.h>

#include "support/made_spectrum.h"

#define GOOD(call) assert_int_equal((int)(call), 0)

void MakeSpectrum(Spectrum *spectrum, const Params *params, PetscInt n_wanted, PetscInt *n, const PetscReal **w, const PetscReal **r)
{
  Complaint complaint = {0};

  GOOD(SpectrumCreate(PETSC_COMM_SELF, spectrum));
  GOOD(SpectrumSetParams(*spectrum, params));
  GOOD(SpectrumSetModes(*spectrum, n_wanted));
  GOOD(SpectrumSetUp(*spectrum, &complaint));
  if (complaint.exit_code) fail_msg("%s", complaint.line);
  GOOD(SpectrumGet(*spectrum, n, w, r));
  assert_true(*n >= n_wanted);
}
