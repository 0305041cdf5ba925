#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define NX 3000
#define NY 3000
#define STEPS 100
#define AT(a, i, j) a[(i) * NY + (j)]

int main(void) {
    double *u = calloc((size_t)NX * NY, sizeof(double));
    double *v = calloc((size_t)NX * NY, sizeof(double));
    for (int j = 0; j < NY; j++) {
        AT(u, 0, j) = 100.0;
        AT(v, 0, j) = 100.0;
    }
    double start = omp_get_wtime();
    for (int t = 0; t < STEPS; t++) {
#pragma omp parallel for
        for (int i = 1; i < NX - 1; i++)
            for (int j = 1; j < NY - 1; j++) {
                double around = AT(u, i - 1, j) + AT(u, i + 1, j) + AT(u, i, j - 1) + AT(u, i, j + 1);
                AT(v, i, j) = AT(u, i, j) + 0.1 * (around - 4.0 * AT(u, i, j));
            }
        double *swap = u;
        u = v;
        v = swap;
    }
    printf("%g s, center %g\n", omp_get_wtime() - start, AT(u, NX / 2, NY / 2));
    free(u);
    free(v);
}
