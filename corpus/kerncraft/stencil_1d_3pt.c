double now[N], next[N];
double weight;

for (int i = 1; i < N - 1; i++)
    next[i] = weight * (now[i - 1] - 2.0 * now[i] + now[i + 1]);
