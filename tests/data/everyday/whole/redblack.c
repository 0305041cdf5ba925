#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define N 4098
static double u[N][N], f[N][N];

static void sweep(int colour, double h2, double omega)
{
#pragma omp parallel for schedule(static)
    for (int i = 1; i < N - 1; i++)
        for (int j = 1 + (i + colour) % 2; j < N - 1; j += 2) {
            double gs = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - h2 * f[i][j]);
            u[i][j] += omega * (gs - u[i][j]);
        }
}

static double residual(double h2)
{
    double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++) {
            double r = f[i][j] - (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4.0 * u[i][j]) / h2;
            sum += r * r;
        }
    return sqrt(sum);
}

int main(int argc, char **argv)
{
    int sweeps = argc > 1 ? atoi(argv[1]) : 40;
    double h = 1.0 / (N - 1), h2 = h * h, omega = 1.8;
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            u[i][j] = 0.0;
            f[i][j] = 1.0;
        }
    double start = omp_get_wtime();
    for (int s = 0; s < sweeps; s++) {
        sweep(0, h2, omega);
        sweep(1, h2, omega);
        if ((s + 1) % 10 == 0)
            printf("sweep %d residual %.6e\n", s + 1, residual(h2));
    }
    printf("time %.3f s, u(centre) = %f\n", omp_get_wtime() - start, u[N / 2][N / 2]);
    return 0;
}
