#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* modified Gram-Schmidt, column-major: column j starts at a + j*m */
static void gram_schmidt(int m, int n, double *a, double *r)
{
    for (int k = 0; k < n; k++) {
        double s = 0.0;
        for (int i = 0; i < m; i++)
            s += a[k * m + i] * a[k * m + i];
        double norm = sqrt(s);
        r[k * n + k] = norm;
        for (int i = 0; i < m; i++)
            a[k * m + i] /= norm;
        for (int j = k + 1; j < n; j++) {
            double d = 0.0;
            for (int i = 0; i < m; i++)
                d += a[k * m + i] * a[j * m + i];
            r[k * n + j] = d;
            for (int i = 0; i < m; i++)
                a[j * m + i] -= d * a[k * m + i];
        }
    }
}

static double orthogonality(int m, int n, const double *q)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            double d = 0.0;
            for (int l = 0; l < m; l++)
                d += q[i * m + l] * q[j * m + l];
            sum += d * d;
        }
    return sqrt(sum);
}

static void back_substitution(int n, const double *r, const double *y, double *x)
{
    for (int i = n - 1; i >= 0; i--) {
        double s = y[i];
        for (int j = i + 1; j < n; j++)
            s -= r[i * n + j] * x[j];
        x[i] = s / r[i * n + i];
    }
}

int main(int argc, char **argv)
{
    int m = 100000, n = 100;
    if (argc > 1) m = atoi(argv[1]);
    if (argc > 2) n = atoi(argv[2]);
    double *a = malloc((size_t)m * n * sizeof(double));
    double *r = calloc((size_t)n * n, sizeof(double));
    double *b = malloc(m * sizeof(double)), *y = malloc(n * sizeof(double)), *x = malloc(n * sizeof(double));
    srand(1);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            a[j * m + i] = rand() / (double)RAND_MAX - 0.5;
    for (int i = 0; i < m; i++)
        b[i] = 1.0;
    gram_schmidt(m, n, a, r);
    for (int j = 0; j < n; j++) {
        double s = 0.0;
        for (int i = 0; i < m; i++)
            s += a[j * m + i] * b[i];
        y[j] = s;
    }
    back_substitution(n, r, y, x);
    printf("orthogonality %g, x0 = %g\n", orthogonality(m, n, a), x[0]);
    return 0;
}
