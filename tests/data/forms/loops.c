#include <math.h>

typedef float real;

void fft_radix_2(int n, real *re, real *im, const real *wr, const real *wi)
{
    for (int len = 2; len <= n; len <<= 1)
        for (int i = 0; i < n; i += len)
            for (int j = 0; j < len / 2; j++) {
                real vr = re[i + j + len / 2] * wr[j] - im[i + j + len / 2] * wi[j];
                real vi = re[i + j + len / 2] * wi[j] + im[i + j + len / 2] * wr[j];
                re[i + j + len / 2] = re[i + j] - vr;
                im[i + j + len / 2] = im[i + j] - vi;
                re[i + j] = re[i + j] + vr;
                im[i + j] = im[i + j] + vi;
            }
}

void fft_radix_4(int n, real *re, real *im, const real *wr, const real *wi)
{
    for (int len = 4; len <= n; len *= 4) {
        int quarter = len / 4;
        for (int start = 0; start < n; start += len)
            for (int j = 0; j < quarter; j++) {
                int k = start + j;
                real a = re[k] + re[k + 2 * quarter], b = re[k] - re[k + 2 * quarter];
                real c = re[k + quarter] + re[k + 3 * quarter], d = im[k + quarter] - im[k + 3 * quarter];
                re[k] = a + c;
                re[k + quarter] = (b + d) * wr[j] - im[k] * wi[j];
                re[k + 2 * quarter] = (a - c) * wr[j];
                im[k] = (b - d) * wi[j];
            }
    }
}

void fft_stockham(int n, real *x, real *y, const real *w)
{
    int m = n / 2;
    for (int s = 1; m >= 1; s *= 2, m /= 2)
        for (int p = 0; p < m; p++)
            for (int q = 0; q < s; q++) {
                real a = x[q + s * p], b = x[q + s * (p + m)];
                y[q + s * 2 * p] = a + b;
                y[q + s * (2 * p + 1)] = (a - b) * w[p * s];
            }
}

void walsh_hadamard(int n, real *x)
{
    for (int h = 1; h < n; h *= 2)
        for (int i = 0; i < n; i += 2 * h)
            for (int j = i; j < i + h; j++) {
                real a = x[j], b = x[j + h];
                x[j] = a + b;
                x[j + h] = a - b;
            }
}

void bitonic_network(int n, real *x)
{
    for (int k = 2; k <= n; k *= 2)
        for (int j = k / 2; j > 0; j /= 2)
            for (int i = 0; i < n; i++) {
                int other = i ^ j;
                if (other > i) {
                    real a = x[i], b = x[other];
                    x[i] = a + 0.5f * b;
                    x[other] = a - 0.5f * b;
                }
            }
}

void odd_even_merge(int n, real *x)
{
    for (int p = 1; p < n; p <<= 1)
        for (int k = p; k >= 1; k >>= 1)
            for (int j = k % p; j + k < n; j += 2 * k)
                for (int i = 0; i < k; i++)
                    if (i + j + k < n && (i + j) / (2 * p) == (i + j + k) / (2 * p)) {
                        real a = x[i + j], b = x[i + j + k];
                        x[i + j] = a + b;
                        x[i + j + k] = a - b;
                    }
}

void scan_blelloch(int n, real *x)
{
    int offset = 1;
    for (int d = n >> 1; d > 0; d >>= 1) {
        for (int i = 0; i < d; i++)
            x[offset * (2 * i + 2) - 1] += x[offset * (2 * i + 1) - 1];
        offset *= 2;
    }
    x[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        for (int i = 0; i < d; i++) {
            real t = x[offset * (2 * i + 1) - 1];
            x[offset * (2 * i + 1) - 1] = x[offset * (2 * i + 2) - 1];
            x[offset * (2 * i + 2) - 1] += t;
        }
    }
}

void scan_hillis_steele(int n, real *x, real *y)
{
    for (int d = 1; d < n; d *= 2) {
        for (int i = d; i < n; i++)
            y[i] = x[i] + x[i - d];
        for (int i = d; i < n; i++)
            x[i] = y[i];
    }
}

void reduce_halves(int n, real *x)
{
    for (int s = n / 2; s > 0; s >>= 1)
        for (int i = 0; i < s; i++)
            x[i] += x[i + s];
}

void reduce_strided(int n, real *x)
{
    for (int s = 1; s < n; s *= 2)
        for (int i = 0; i + s < n; i += 2 * s)
            x[i] += x[i + s];
}

void v_cycle(int n, real *u, real *r)
{
    for (int m = n; m > 2; m /= 2) {
        for (int sweep = 0; sweep < 2; sweep++)
            for (int i = 1; i < m - 1; i++)
                u[i] = 0.5f * (u[i - 1] + u[i + 1] + r[i]);
        for (int i = 1; i < m / 2; i++)
            r[i] = 0.25f * (r[2 * i - 1] + 2.0f * r[2 * i] + r[2 * i + 1]);
    }
    for (int m = 2; m <= n; m *= 2)
        for (int i = 1; i < m - 1; i++)
            u[i] = u[i] + 0.5f * r[i];
}

void haar_wavelet(int n, real *x, real *t)
{
    for (int len = n; len > 1; len /= 2) {
        for (int i = 0; i < len / 2; i++) {
            t[i] = (x[2 * i] + x[2 * i + 1]) * 0.5f;
            t[len / 2 + i] = (x[2 * i] - x[2 * i + 1]) * 0.5f;
        }
        for (int i = 0; i < len; i++)
            x[i] = t[i];
    }
}

void pairwise_levels(int n, real *x)
{
    int width = n;
    while (width > 1) {
        int half = (width + 1) / 2;
        for (int i = 0; i + half < width; i++)
            x[i] += x[i + half];
        width = half;
    }
}

void butterflies_by_stage(int n, int stages, real *x)
{
    for (int s = 0; s < stages; s++) {
        int m = 1 << s;
        for (int i = 0; i < n >> s; i++)
            x[i] = x[i] * 0.5f + x[i + m];
    }
}

void sieve_all(int n, real *x)
{
    for (int i = 2; i * i <= n; i++)
        for (int j = i * i; j <= n; j += i)
            x[j] += 1.0f;
}

void sieve_primes(int n, int *composite, real *x)
{
    for (int i = 2; i * i <= n; i++)
        if (!composite[i])
            for (int j = i * i; j <= n; j += i) {
                composite[j] = 1;
                x[j] += 1.0f;
            }
}

void trial_division(int n, real *x)
{
    for (int d = 2; d * d <= n; d++) {
        x[d] = x[d] * 0.5f + 1.0f;
        if (n % d == 0)
            return;
    }
}

void divisor_pairs(int n, real *x)
{
    int root = (int)sqrt((double)n);
    for (int i = 1; i <= root; i++)
        x[i] = x[i] * x[0] + 1.0f;
}

void triangle_to_root(int n, real *x)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j * j < i; j++)
            x[j] += 0.5f;
}

void binary_search(int n, const real *x, real *found)
{
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        found[0] = found[0] + x[middle];
        if (x[middle] < 0.5f)
            low = middle + 1;
        else
            high = middle;
    }
}

void halving_with_parity(int n, real *x)
{
    for (int m = n; m > 0; m >>= 1) {
        if (m % 2 == 1)
            x[0] = x[0] * x[1];
        x[1] = x[1] * x[1] + 0.5f;
    }
}

void phases(int n, real *x)
{
    int phase = 0, odd = 0;
    for (int i = 0; i < n; i++) {
        if (i % 3 == 0)
            x[i] += 1.0f;
        if (phase == 1)
            x[i] = x[i] * 2.0f + 1.0f;
        if (odd)
            x[i] = (x[i] + 1.0f) * (x[i] - 1.0f);
        phase = (phase + 1) % 4;
        odd = !odd;
    }
}

void log_of_each(int n, real *x)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0; j /= 2)
            x[j] += 0.5f;
}

void doubling_from_each(int n, real *x)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j < n; j *= 2)
            x[j] = x[j] * 0.5f + 1.0f;
}

void triples_of_levels(int n, int m, real *x)
{
    for (int a = 1; a <= n; a *= 3)
        for (int b = m; b >= 1; b /= 2)
            for (int i = 0; i < a; i++)
                for (int j = 0; j <= i; j++)
                    x[j] += 0.5f;
}

void sieve_odd(int n, real *x)
{
    for (int p = 3; p <= n / p; p += 2)
        for (int m = p * p; m <= n; m += 2 * p)
            x[m] *= 0.5f;
}

void walsh_down(int n, real *x)
{
    int h = n;
    while ((h >>= 1) > 0)
        for (int i = 0; i + h < n; i++)
            x[i] = x[i] * x[i + h] + 0.5f;
}

void bitonic_until_sorted(int n, real *x)
{
    int k = 1;
    do {
        k <<= 1;
        for (int j = k >> 1; j; j >>= 1)
            for (int i = 0; i < n; ++i)
                if ((i & j) == 0 && (i | j) < n)
                    x[i] = x[i] * x[i | j];
    } while (k < n);
}

void rows_of_a_triangle(int n, real *x)
{
    for (int i = 0; i * (i + 1) / 2 < n; i++)
        for (int j = 0; j <= i; j++)
            x[j] += x[i];
}

void filters_in_turn(int n, real *x)
{
    int phase = 0;
    for (int i = 0; i < n; i++) {
        switch (phase) {
        case 0: x[i] += 1.5f; break;
        case 1: x[i] = x[i] * x[i] + 1.5f; break;
        default: break;
        }
        if (++phase == 3)
            phase = 0;
    }
}

void fft_of_columns(int n, real *x)
{
    for (int m = 1; 2 * m <= n; m = m + m)
        for (int j = 0; j < m; j++)
            for (int k = j; k < n - m; k += m << 1) {
                real t = x[k + m] * 2.0f;
                x[k + m] = x[k] - t;
                x[k] += t;
            }
}
