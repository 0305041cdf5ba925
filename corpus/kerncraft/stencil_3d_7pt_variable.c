double now[L][M][N], next[L][M][N];
double below[L][M][N], east[L][M][N], above[L][M][N], south[L][M][N], north[L][M][N], west[L][M][N];
double weight;

for (int k = 1; k < L - 1; k++)
    for (int j = 1; j < M - 1; j++)
        for (int i = 1; i < N - 1; i++)
            next[k][j][i] = weight * (west[k][j][i] * now[k][j][i - 1] + east[k][j][i] * now[k][j][i + 1]
                                    + south[k][j][i] * now[k][j - 1][i] + north[k][j][i] * now[k][j + 1][i]
                                    + below[k][j][i] * now[k - 1][j][i] + above[k][j][i] * now[k + 1][j][i]);
