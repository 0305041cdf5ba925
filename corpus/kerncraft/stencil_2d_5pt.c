double now[M][N], next[M][N];
double weight;

for (int j = 1; j < M - 1; j++)
    for (int i = 1; i < N - 1; i++)
        next[j][i] = weight * (now[j][i - 1] + now[j][i + 1] + now[j - 1][i] + now[j + 1][i]);
