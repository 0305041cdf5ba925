for (i = 0; i < N; ++i) {
    z[i] = x[i] + y[i];
}
