#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define IDX(i, j, k) (((size_t)(i) * ny + (j)) * nz + (k))

int main(int argc, char *argv[])
{
    int nx = argc > 1 ? atoi(argv[1]) : 258;
    int ny = nx, nz = nx;
    int maxit = argc > 2 ? atoi(argv[2]) : 50;
    const double tol = 1e-6;
    size_t total = (size_t)nx * ny * nz;
    double *u = (double *)malloc(total * sizeof *u);
    double *unew = (double *)malloc(total * sizeof *unew);
    if (!u || !unew) {
        perror("malloc");
        return EXIT_FAILURE;
    }
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < ny; j++)
            for (int k = 0; k < nz; k++) {
                double v = (i == 0) ? 1.0 : 0.0;
                u[IDX(i, j, k)] = v;
                unew[IDX(i, j, k)] = v;
            }

    int it = 0;
    double change = 1.0;
    while (change > tol && it < maxit) {
        double acc = 0.0;
        for (int i = 1; i < nx - 1; i++)
            for (int j = 1; j < ny - 1; j++)
                for (int k = 1; k < nz - 1; k++) {
                    double s = u[IDX(i - 1, j, k)] + u[IDX(i + 1, j, k)] + u[IDX(i, j - 1, k)] +
                               u[IDX(i, j + 1, k)] + u[IDX(i, j, k - 1)] + u[IDX(i, j, k + 1)];
                    double v = s / 6.0;
                    double d = v - u[IDX(i, j, k)];
                    acc += d * d;
                    unew[IDX(i, j, k)] = v;
                }
        double *tmp = u;
        u = unew;
        unew = tmp;
        change = sqrt(acc);
        it++;
        if (it % 10 == 0)
            printf("%4d %12.5e\n", it, change);
    }
    double sum = 0;
    for (size_t p = 0; p < total; p++)
        sum += u[p];
    printf("iterations %d change %g mean %g\n", it, change, sum / (double)total);
    free(u);
    free(unew);
    return 0;
}
