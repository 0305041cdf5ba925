#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char *argv[]) {
    int repeats = argc > 1 ? atoi(argv[1]) : 5;
    const long n = 20000000;
    double *x = malloc(n * sizeof(double));
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        x[i] = i;
    double sum = 0.0;
    double begin = omp_get_wtime();
    for (int r = 0; r < repeats; r++) {
#pragma omp parallel for simd reduction(+ : sum)
        for (long i = 0; i < n; i++)
            sum += sqrt(x[i]);
    }
    printf("%g in %g s\n", sum, omp_get_wtime() - begin);
    free(x);
    return 0;
}
