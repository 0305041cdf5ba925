double y[M], matrix[M][N], x[N];

for (int j = 0; j < N; j++)
    for (int i = 0; i < M; i++)
        y[i] = y[i] + matrix[i][j] * x[j];
