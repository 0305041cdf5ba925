/* Red-black Gauss-Seidel of a 7-point operator in three forms, after the smoothers of HPGMG. */

void gsrb_branch(int n, int color, double h2, const double phi[n + 2][n + 2][n + 2], const double rhs[n + 2][n + 2][n + 2],
                 double next[n + 2][n + 2][n + 2])
{
  for (int k = 1; k <= n; k++)
    for (int j = 1; j <= n; j++)
      for (int i = 1; i <= n; i++)
        if ((i ^ j ^ k ^ color) & 1)
          next[k][j][i] = phi[k][j][i] + h2 * (rhs[k][j][i] - 6.0 * phi[k][j][i]
                        + phi[k][j][i - 1] + phi[k][j][i + 1]
                        + phi[k][j - 1][i] + phi[k][j + 1][i]
                        + phi[k - 1][j][i] + phi[k + 1][j][i]);
        else
          next[k][j][i] = phi[k][j][i];
}

void gsrb_fp(int n, double h2, const double red_black[2][n + 2][n + 2], const double phi[n + 2][n + 2][n + 2],
             const double rhs[n + 2][n + 2][n + 2], double next[n + 2][n + 2][n + 2])
{
  for (int k = 1; k <= n; k++)
    for (int j = 1; j <= n; j++)
      for (int i = 1; i <= n; i++)
        next[k][j][i] = phi[k][j][i] + red_black[k & 1][j][i] * h2 * (rhs[k][j][i] - 6.0 * phi[k][j][i]
                      + phi[k][j][i - 1] + phi[k][j][i + 1]
                      + phi[k][j - 1][i] + phi[k][j + 1][i]
                      + phi[k - 1][j][i] + phi[k + 1][j][i]);
}

void gsrb_stride2(int n, int color, double h2, double phi[n + 2][n + 2][n + 2], const double rhs[n + 2][n + 2][n + 2],
                  double next[n + 2][n + 2][n + 2])
{
  for (int k = 1; k <= n; k++)
    for (int j = 1; j <= n; j++) {
      for (int i = 1 + ((j + k + color) & 1); i <= n; i += 2)
        next[k][j][i] = phi[k][j][i] + h2 * (rhs[k][j][i] - 6.0 * phi[k][j][i]
                      + phi[k][j][i - 1] + phi[k][j][i + 1]
                      + phi[k][j - 1][i] + phi[k][j + 1][i]
                      + phi[k - 1][j][i] + phi[k + 1][j][i]);
      for (int i = 1; i <= n; i++)
        phi[k][j][i] = next[k][j][i];
    }
}
