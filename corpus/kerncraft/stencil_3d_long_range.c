double speed[L][M][N], last[L][M][N], wave[L][M][N];
double laplacian, w0, w1, w2, w3, w4;

for (int k = 4; k < L - 4; k++)
    for (int j = 4; j < M - 4; j++)
        for (int i = 4; i < N - 4; i++) {
            laplacian = w0 * wave[k][j][i]
                  + w1 * (wave[k][j][i + 1] + wave[k][j][i - 1])
                  + w1 * (wave[k][j + 1][i] + wave[k][j - 1][i])
                  + w1 * (wave[k + 1][j][i] + wave[k - 1][j][i])
                  + w2 * (wave[k][j][i + 2] + wave[k][j][i - 2])
                  + w2 * (wave[k][j + 2][i] + wave[k][j - 2][i])
                  + w2 * (wave[k + 2][j][i] + wave[k - 2][j][i])
                  + w3 * (wave[k][j][i + 3] + wave[k][j][i - 3])
                  + w3 * (wave[k][j + 3][i] + wave[k][j - 3][i])
                  + w3 * (wave[k + 3][j][i] + wave[k - 3][j][i])
                  + w4 * (wave[k][j][i + 4] + wave[k][j][i - 4])
                  + w4 * (wave[k][j + 4][i] + wave[k][j - 4][i])
                  + w4 * (wave[k + 4][j][i] + wave[k - 4][j][i]);
            last[k][j][i] = 2.0 * wave[k][j][i] - last[k][j][i] + speed[k][j][i] * laplacian;
        }
