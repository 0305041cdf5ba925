double matrix[M][N], x[N], y[N];

for (int j = 0; j < M; j++)
    for (int i = 0; i < N; i++)
        y[i] = y[i] + matrix[j][i] * x[i];
