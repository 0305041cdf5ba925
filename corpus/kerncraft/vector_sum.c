double x[N];
double sum;

for (int i = 0; i < N; i++)
    sum = sum + x[i];
