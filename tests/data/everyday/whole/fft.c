#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef double complex cplx;

static void bit_reverse(cplx *x, int n)
{
    for (int i = 1, j = 0; i < n; i++) {
        int bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            cplx t = x[i];
            x[i] = x[j];
            x[j] = t;
        }
    }
}

static void fft(cplx *x, const cplx *w, int n)
{
    bit_reverse(x, n);
    for (int len = 2; len <= n; len <<= 1) {
        int half = len / 2, step = n / len;
        for (int i = 0; i < n; i += len)
            for (int k = 0; k < half; k++) {
                cplx u = x[i + k];
                cplx v = x[i + k + half] * w[k * step];
                x[i + k] = u + v;
                x[i + k + half] = u - v;
            }
    }
}

int main(int argc, char **argv)
{
    int n = 1 << 22;
    if (argc > 1) n = atoi(argv[1]);
    cplx *x = malloc(n * sizeof *x), *w = malloc(n / 2 * sizeof *w);
    double *power = malloc(n / 2 * sizeof *power);
    for (int k = 0; k < n / 2; k++)
        w[k] = cexp(-2.0 * M_PI * I * k / n);
    for (int i = 0; i < n; i++)
        x[i] = sin(2.0 * M_PI * 5.0 * i / n);
    fft(x, w, n);
    for (int k = 0; k < n / 2; k++)
        power[k] = creal(x[k]) * creal(x[k]) + cimag(x[k]) * cimag(x[k]);
    int peak = 0;
    for (int k = 1; k < n / 2; k++)
        if (power[k] > power[peak]) peak = k;
    printf("peak at %d\n", peak);
    free(x);
    free(w);
    free(power);
    return peak == 5 ? 0 : 1;
}
