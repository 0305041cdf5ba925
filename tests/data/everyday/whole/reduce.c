#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    double mean, variance, minimum, maximum;
} stats_t;

static stats_t statistics(const double *x, long n)
{
    stats_t s = {0.0, 0.0, DBL_MAX, -DBL_MAX};
    double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < n; i++)
        sum += x[i];
    s.mean = sum / n;
    double sq = 0.0;
#pragma omp parallel for reduction(+ : sq)
    for (long i = 0; i < n; i++) {
        double d = x[i] - s.mean;
        sq += d * d;
    }
    s.variance = sq / (n - 1);
    for (long i = 0; i < n; i++) {
        if (x[i] < s.minimum) s.minimum = x[i];
        if (x[i] > s.maximum) s.maximum = x[i];
    }
    return s;
}

static double dot(const float *a, const float *b, long n)
{
    double s = 0.0;
#pragma omp simd reduction(+ : s)
    for (long i = 0; i < n; i++)
        s += (double)a[i] * b[i];
    return s;
}

static float kahan(const float *a, long n)
{
    float sum = 0.0f, c = 0.0f;
    for (long i = 0; i < n; i++) {
        float y = a[i] - c;
        float t = sum + y;
        c = (t - sum) - y;
        sum = t;
    }
    return sum;
}

static double poly(double *x, long n)
{
    double last = 0;
    for (long i = 0; i < n; i++) {
        double v = x[i];
        x[i] = ((((v * 0.1 + 0.2) * v + 0.3) * v + 0.4) * v + 0.5) * v + 0.6;
        last = x[i];
    }
    return last;
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 50000000L;
    double *x = malloc(n * sizeof(double));
    float *a = malloc(n * sizeof(float)), *b = malloc(n * sizeof(float));
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        x[i] = sin(0.001 * i);
        a[i] = 1.0f / (i + 1);
        b[i] = 2.0f;
    }
    stats_t s = statistics(x, n);
    printf("%g %g %g %g\n", s.mean, sqrt(s.variance), s.minimum, s.maximum);
    printf("dot %g kahan %g poly %g\n", dot(a, b, n), kahan(a, n), poly(x, n));
    free(x); free(a); free(b);
    return 0;
}
