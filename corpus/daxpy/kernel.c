for (i = 0; i < N; ++i) {
    y[i] = a*x[i] + y[i];
}
