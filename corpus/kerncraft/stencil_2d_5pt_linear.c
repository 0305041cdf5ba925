double now[M * N], next[M * N];
double weight;

for (int j = 1; j < M - 1; j++)
    for (int i = 1; i < N - 1; i++)
        next[j * N + i] = weight * (now[j * N + i - 1] + now[j * N + i + 1]
                                  + now[(j - 1) * N + i] + now[(j + 1) * N + i]);
