double result[N], offset[N], left[N], right[N];

for (int i = 0; i < N; i++)
    result[i] = offset[i] + left[i] * right[i];
