float a[L][M][N][4], b[L][M][N][3], mask[L][M][N], c[L][M][N][3];
float p[L][M][N], source[L][M][N], smooth[L][M][N];
float omega, all, change, residual;

for (int i = 1; i < L - 1; i++)
    for (int j = 1; j < M - 1; j++)
        for (int k = 1; k < N - 1; k++) {
            all = a[i][j][k][0] * p[i + 1][j][k]
                + a[i][j][k][1] * p[i][j + 1][k]
                + a[i][j][k][2] * p[i][j][k + 1]
                + b[i][j][k][0] * (p[i + 1][j + 1][k] - p[i + 1][j - 1][k] - p[i - 1][j + 1][k] + p[i - 1][j - 1][k])
                + b[i][j][k][1] * (p[i][j + 1][k + 1] - p[i][j - 1][k + 1] - p[i][j + 1][k - 1] + p[i][j - 1][k - 1])
                + b[i][j][k][2] * (p[i + 1][j][k + 1] - p[i - 1][j][k + 1] - p[i + 1][j][k - 1] + p[i - 1][j][k - 1])
                + c[i][j][k][0] * p[i - 1][j][k]
                + c[i][j][k][1] * p[i][j - 1][k]
                + c[i][j][k][2] * p[i][j][k - 1]
                + source[i][j][k];
            change = (all * a[i][j][k][3] - p[i][j][k]) * mask[i][j][k];
            residual = residual + change * change;
            smooth[i][j][k] = p[i][j][k] + omega * change;
        }
