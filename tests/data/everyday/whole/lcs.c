#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline int max2(int a, int b) { return a > b ? a : b; }

/* Needleman-Wunsch on a full table */
static int align(const char *a, const char *b, int n, int m, int *t)
{
    const int w = m + 1, gap = -2;
    for (int i = 0; i <= n; i++)
        t[i * w] = i * gap;
    for (int j = 0; j <= m; j++)
        t[j] = j * gap;
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= m; j++) {
            int score = a[i - 1] == b[j - 1] ? 1 : -1;
            int best = t[(i - 1) * w + j - 1] + score;
            best = max2(best, t[(i - 1) * w + j] + gap);
            best = max2(best, t[i * w + j - 1] + gap);
            t[i * w + j] = best;
        }
    return t[n * w + m];
}

/* longest common subsequence with two rows */
static int lcs(const char *a, const char *b, int n, int m)
{
    int *prev = calloc(m + 1, sizeof(int)), *cur = calloc(m + 1, sizeof(int));
    for (int i = 1; i <= n; i++) {
        for (int j = 1; j <= m; j++) {
            if (a[i - 1] == b[j - 1])
                cur[j] = prev[j - 1] + 1;
            else
                cur[j] = max2(prev[j], cur[j - 1]);
        }
        int *t = prev;
        prev = cur;
        cur = t;
    }
    int r = prev[m];
    free(prev);
    free(cur);
    return r;
}

/* dynamic time warping by anti-diagonals on floats */
static float dtw(const float *x, const float *y, int n, float *d)
{
    d[0] = (x[0] - y[0]) * (x[0] - y[0]);
    for (int i = 1; i < n; i++) {
        d[i * n] = d[(i - 1) * n] + (x[i] - y[0]) * (x[i] - y[0]);
        d[i] = d[i - 1] + (x[0] - y[i]) * (x[0] - y[i]);
    }
    for (int s = 2; s <= 2 * n - 2; s++) {
        int lo = s < n ? 1 : s - n + 1, hi = s < n ? s - 1 : n - 1;
        for (int i = lo; i <= hi; i++) {
            int j = s - i;
            float c = (x[i] - y[j]) * (x[i] - y[j]);
            float m = d[(i - 1) * n + j - 1];
            if (d[(i - 1) * n + j] < m) m = d[(i - 1) * n + j];
            if (d[i * n + j - 1] < m) m = d[i * n + j - 1];
            d[i * n + j] = c + m;
        }
    }
    return d[n * n - 1];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 8000;
    char *a = malloc(n + 1), *b = malloc(n + 1);
    int *t = malloc((size_t)(n + 1) * (n + 1) * sizeof *t);
    float *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y), *d = malloc((size_t)n * n * sizeof *d);
    for (int i = 0; i < n; i++) {
        a[i] = "ACGT"[rand() % 4];
        b[i] = "ACGT"[rand() % 4];
        x[i] = 0.01f * i;
        y[i] = 0.02f * i;
    }
    printf("%d %d %f\n", align(a, b, n, n, t), lcs(a, b, n, n), dtw(x, y, n, d));
    return 0;
}
