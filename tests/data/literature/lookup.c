/* A macroscopic cross section: five values of each nuclide of a material, interpolated between grid points. */
typedef struct { double energy, total, elastic, absorption, fission, nu_fission; } Point;
static void micro(double energy, const Point *low, double *found) {
  const Point *high = low + 1;
  double f = (high->energy - energy) / (high->energy - low->energy);
  found[0] = high->total - f * (high->total - low->total);
  found[1] = high->elastic - f * (high->elastic - low->elastic);
  found[2] = high->absorption - f * (high->absorption - low->absorption);
  found[3] = high->fission - f * (high->fission - low->fission);
  found[4] = high->nu_fission - f * (high->nu_fission - low->nu_fission);
}
void macro(double energy, int nuclides, const int *restrict of, const double *restrict density, int points,
           const int *restrict below, const Point *restrict grid, double *restrict sum) {
  for (int j = 0; j < nuclides; j++) {
    double found[5];
    micro(energy, &grid[of[j]*points + below[of[j]]], found);
    for (int k = 0; k < 5; k++) sum[k] += found[k] * density[j];
  }
}
