float p[L][M][N], smooth[L][M][N], source[L][M][N], mask[L][M][N];
float a0[L][M][N], a1[L][M][N], a2[L][M][N], a3[L][M][N];
float b0[L][M][N], b1[L][M][N], b2[L][M][N];
float c0[L][M][N], c1[L][M][N], c2[L][M][N];
float omega, all, change, residual;

for (int i = 1; i < L - 1; i++)
    for (int j = 1; j < M - 1; j++)
        for (int k = 1; k < N - 1; k++) {
            all = a0[i][j][k] * p[i + 1][j][k]
                + a1[i][j][k] * p[i][j + 1][k]
                + a2[i][j][k] * p[i][j][k + 1]
                + b0[i][j][k] * (p[i + 1][j + 1][k] - p[i + 1][j - 1][k] - p[i - 1][j + 1][k] + p[i - 1][j - 1][k])
                + b1[i][j][k] * (p[i][j + 1][k + 1] - p[i][j - 1][k + 1] - p[i][j + 1][k - 1] + p[i][j - 1][k - 1])
                + b2[i][j][k] * (p[i + 1][j][k + 1] - p[i - 1][j][k + 1] - p[i + 1][j][k - 1] + p[i - 1][j][k - 1])
                + c0[i][j][k] * p[i - 1][j][k]
                + c1[i][j][k] * p[i][j - 1][k]
                + c2[i][j][k] * p[i][j][k - 1]
                + source[i][j][k];
            change = (all * a3[i][j][k] - p[i][j][k]) * mask[i][j][k];
            residual = residual + change * change;
            smooth[i][j][k] = p[i][j][k] + omega * change;
        }
