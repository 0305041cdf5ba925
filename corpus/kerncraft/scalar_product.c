double x[N], y[N];
double sum;

for (int i = 0; i < N; i++)
    sum = sum + x[i] * y[i];
