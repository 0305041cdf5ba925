double square[N][N], matrix[N][N];

for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
        for (int k = 0; k < N; k++)
            square[i][j] = square[i][j] + matrix[i][k] * matrix[k][j];
