void star9(int N, double A[restrict N][N], double B[restrict N][N], double C)
{
  for (int i = 2; i < N - 2; ++i)
    for (int j = 2; j < N - 2; ++j)
      B[i][j] = A[i-2][j] + A[i-1][j] + C * A[i][j] + A[i+1][j] + A[i+2][j]
              + A[i][j-2] + A[i][j-1] + A[i][j+1] + A[i][j+2];
}
