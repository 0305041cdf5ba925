double sum[N], left[N], right[N];

for (int i = 0; i < N; i++)
    sum[i] = left[i] + right[i];
