/* The volume change of a cell by what flows through its faces, and the work of pressure and viscosity. */
void volume_change(int nx, int ny, double dt, const double u[restrict ny + 1][nx + 1],
                   const double v[restrict ny + 1][nx + 1], const double ax[restrict ny][nx + 1],
                   const double ay[restrict ny + 1][nx], const double vol[restrict ny][nx],
                   const double p[restrict ny][nx], const double q[restrict ny][nx], const double r0[restrict ny][nx],
                   double r1[restrict ny][nx], const double e0[restrict ny][nx], double e1[restrict ny][nx]) {
  for (int j = 0; j < ny; j++)
    for (int i = 0; i < nx; i++) {
      double west = ax[j][i] * (u[j][i] + u[j + 1][i] + u[j][i] + u[j + 1][i]) * 0.25 * dt * 0.5;
      double east = ax[j][i + 1] * (u[j][i + 1] + u[j + 1][i + 1] + u[j][i + 1] + u[j + 1][i + 1]) * 0.25 * dt * 0.5;
      double south = ay[j][i] * (v[j][i] + v[j][i + 1] + v[j][i] + v[j][i + 1]) * 0.25 * dt * 0.5;
      double north = ay[j + 1][i] * (v[j + 1][i] + v[j + 1][i + 1] + v[j + 1][i] + v[j + 1][i + 1]) * 0.25 * dt * 0.5;
      double net = east - west + north - south;
      double change = vol[j][i] / (vol[j][i] + net);
      double inverse = 1.0 / vol[j][i];
      double work = (p[j][i] / r0[j][i] + q[j][i] / r0[j][i]) * net * inverse;
      e1[j][i] = e0[j][i] - work;
      r1[j][i] = r0[j][i] * change;
    }
}
