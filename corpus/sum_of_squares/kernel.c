double s = 0.0;
for (i = 0; i < N; ++i) {
    s += a[i] * a[i];
}
