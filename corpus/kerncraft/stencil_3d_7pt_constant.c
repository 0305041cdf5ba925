double now[L][M][N], next[L][M][N];
double weight, west, east, south, north, below, above;

for (int k = 1; k < L - 1; k++)
    for (int j = 1; j < M - 1; j++)
        for (int i = 1; i < N - 1; i++)
            next[k][j][i] = weight * (west * now[k][j][i - 1] + east * now[k][j][i + 1]
                                    + south * now[k][j - 1][i] + north * now[k][j + 1][i]
                                    + below * now[k - 1][j][i] + above * now[k + 1][j][i]);
