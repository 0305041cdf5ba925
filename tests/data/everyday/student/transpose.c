#include <stdio.h>
#include <stdlib.h>
#define N 4096
#define B 32

static void transpose(const double *a, double *b) {
    for (int ii = 0; ii < N; ii += B)
        for (int jj = 0; jj < N; jj += B)
            for (int i = ii; i < ii + B; i++)
                for (int j = jj; j < jj + B; j++)
                    b[(size_t)j * N + i] = a[(size_t)i * N + j];
}

int main(void) {
    double *a = malloc(sizeof(double) * N * N), *b = malloc(sizeof(double) * N * N);
    for (size_t i = 0; i < (size_t)N * N; i++)
        a[i] = (double)i;
    transpose(a, b);
    printf("%f\n", b[N + 1]);
    free(a);
    free(b);
    return 0;
}
