double matrix[M][N], x[M], y[M];

for (int j = 0; j < N; j++)
    for (int i = 0; i < M; i++)
        y[i] = y[i] + matrix[i][j] * x[i];
