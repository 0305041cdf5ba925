void stencil7(int n, double new[restrict n][n][n], const double old[restrict n][n][n])
{
  for (int k = 1; k < n - 1; k++)
    for (int j = 1; j < n - 1; j++)
      for (int i = 1; i < n - 1; i++)
        new[k][j][i] = -6.0 * old[k][j][i]
                     + old[k][j][i-1] + old[k][j][i+1]
                     + old[k][j-1][i] + old[k][j+1][i]
                     + old[k-1][j][i] + old[k+1][j][i];
}
