#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ALIGN 64

static double seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static double *new_array(size_t n)
{
    void *p = NULL;
    if (posix_memalign(&p, ALIGN, n * sizeof(double)) != 0) {
        fprintf(stderr, "out of memory\n");
        exit(EXIT_FAILURE);
    }
    return p;
}

static void schoenauer(double *restrict a, const double *restrict b, const double *restrict c,
                       const double *restrict d, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        a[i] = b[i] + c[i] * d[i];
}

int main(int argc, char **argv)
{
    size_t n = 20000000;
    int reps = 10;
    if (argc > 1) n = strtoul(argv[1], NULL, 10);
    if (argc > 2) reps = atoi(argv[2]);
    if (n == 0 || reps < 1) {
        printf("usage: %s [n] [reps]\n", argv[0]);
        return 1;
    }
    double *a = new_array(n), *b = new_array(n), *c = new_array(n), *d = new_array(n);

    for (size_t i = 0; i < n; ++i) {
        a[i] = 0.0;
        b[i] = 1.0;
        c[i] = 2.0;
        d[i] = 0.5;
    }

    double best = 1e30;
    for (int r = 0; r < reps; ++r) {
        double t0 = seconds();
        schoenauer(a, b, c, d, n);
        double t1 = seconds();
        if (t1 - t0 < best) best = t1 - t0;
    }

    double err = 0.0;
    for (size_t i = 0; i < n; ++i) {
        double diff = a[i] - 2.0;
        err += diff * diff;
    }
    printf("best %.6f s, %.2f GB/s, error %g\n", best, 32.0 * (double)n / best * 1e-9, err);
    free(a); free(b); free(c); free(d);
    return err < 1e-9 ? 0 : 2;
}
