double density[L][M][N], velocity[L][M][N], xx[L][M][N], xy[L][M][N], xz[L][M][N];
double near, far, step, local;

for (int k = 2; k < L - 2; k++)
    for (int j = 2; j < M - 2; j++)
        for (int i = 2; i < N - 2; i++) {
            local = 0.25 * (density[k][j][i] + density[k][j - 1][i] + density[k - 1][j][i] + density[k - 1][j - 1][i]);
            velocity[k][j][i] = velocity[k][j][i]
                + (step / local) * (near * (xx[k][j][i] - xx[k][j][i - 1]) + far * (xx[k][j][i + 1] - xx[k][j][i - 2])
                                  + near * (xy[k][j + 1][i] - xy[k][j - 1][i]) + far * (xy[k][j + 1][i] - xy[k][j - 2][i])
                                  + near * (xz[k][j][i] - xz[k - 1][j][i]) + far * (xz[k + 1][j][i] - xz[k - 2][j][i]));
        }
