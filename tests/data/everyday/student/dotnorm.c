#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

double dot(const double *x, const double *y, int n) {
    double s = 0.0;
    for (int i = 0; i < n; i++)
        s += x[i] * y[i];
    return s;
}

void axpy(double a, const double *x, double *y, int n) {
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}

int main(int argc, char **argv) {
    int n = 5000000;
    double *x = malloc(n * sizeof(double));
    double *y = malloc(n * sizeof(double));
    if (!x || !y) return 1;
    for (int i = 0; i < n; i++) {
        x[i] = i * 0.5;
        y[i] = 1.0 / (i + 1);
    }
    double t0 = seconds();
    double d = dot(x, y, n);
    axpy(2.0, x, y, n);
    double norm = sqrt(dot(y, y, n));
    double t1 = seconds();
    printf("dot %g norm %g in %g s\n", d, norm, t1 - t0);
    free(x);
    free(y);
    return 0;
}
