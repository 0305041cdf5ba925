double now[L][M][N], next[L][M][N];
double weight;

for (int k = 1; k < L - 1; k++)
    for (int j = 1; j < M - 1; j++)
        for (int i = 1; i < N - 2; i += 2) {
            next[k][j][i] = weight * (now[k][j][i - 1] + now[k][j][i + 1]
                                    + now[k][j - 1][i] + now[k][j + 1][i]
                                    + now[k - 1][j][i] + now[k + 1][j][i]);
            next[k][j][i + 1] = weight * (now[k][j][i] + now[k][j][i + 2]
                                        + now[k][j - 1][i + 1] + now[k][j + 1][i + 1]
                                        + now[k - 1][j][i + 1] + now[k + 1][j][i + 1]);
        }
