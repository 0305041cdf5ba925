float a[4][L][M][N], b[3][L][M][N], mask[L][M][N], c[3][L][M][N];
float p[L][M][N], source[L][M][N], smooth[L][M][N];
float omega, all, change, residual;

for (int i = 1; i < L - 1; i++)
    for (int j = 1; j < M - 1; j++)
        for (int k = 1; k < N - 1; k++) {
            all = a[0][i][j][k] * p[i + 1][j][k]
                + a[1][i][j][k] * p[i][j + 1][k]
                + a[2][i][j][k] * p[i][j][k + 1]
                + b[0][i][j][k] * (p[i + 1][j + 1][k] - p[i + 1][j - 1][k] - p[i - 1][j + 1][k] + p[i - 1][j - 1][k])
                + b[1][i][j][k] * (p[i][j + 1][k + 1] - p[i][j - 1][k + 1] - p[i][j + 1][k - 1] + p[i][j - 1][k - 1])
                + b[2][i][j][k] * (p[i + 1][j][k + 1] - p[i - 1][j][k + 1] - p[i + 1][j][k - 1] + p[i - 1][j][k - 1])
                + c[0][i][j][k] * p[i - 1][j][k]
                + c[1][i][j][k] * p[i][j - 1][k]
                + c[2][i][j][k] * p[i][j][k - 1]
                + source[i][j][k];
            change = (all * a[3][i][j][k] - p[i][j][k]) * mask[i][j][k];
            residual = residual + change * change;
            smooth[i][j][k] = p[i][j][k] + omega * change;
        }
