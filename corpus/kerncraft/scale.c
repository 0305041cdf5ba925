double to[N], from[N];
double factor;

for (int i = 0; i < N; i++)
    to[i] = factor * from[i];
