typedef float real;

void xor_butterfly(int n, real *x)
{
    for (int s = 1; s < n; s <<= 1)
        for (int i = 0; i < n; i++) {
            int j = i ^ s;
            if (j > i && j < n) {
                real a = x[i], b = x[j];
                x[i] = a + b;
                x[j] = a - b;
            }
        }
}

void bitonic_directions(int n, real *x)
{
    for (int k = 2; k <= n; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1)
            for (int i = 0; i < n; i++) {
                int l = i ^ j;
                if (l > i) {
                    if ((i & k) == 0)
                        x[i] = x[i] + 0.5f * x[l];
                    else
                        x[i] = x[i] - x[l];
                }
            }
}

void every_mth(int n, int m, real *x)
{
    for (int i = 0; i < n; i++)
        if (i % m == 0)
            x[i] = x[i] * 2.0f + 1.0f;
}

void bits_of_all(int n, real *x)
{
    for (int i = 0; i < n; i++)
        for (int b = 1; b < n; b <<= 1)
            if (i & b)
                x[i] += 1.0f;
}

void halves_of_blocks(int n, real *x)
{
    for (int h = 1; h <= n; h *= 2)
        for (int i = 0; i < n; i++)
            if ((i / h) % 2 == 1)
                x[i] += x[i - h];
}

void coarse_points(int n, real *x)
{
    for (int s = 1; s < n; s *= 2)
        for (int i = s; i < n - s; i++)
            if (i % (2 * s) == s)
                x[i] = 0.5f * (x[i - s] + x[i + s]);
}

void swap_network(int n, real *x)
{
    for (int p = n; p > 1; p /= 2)
        for (int i = 0; i < n; i++)
            if (i % p < p / 2)
                x[i] += 0.5f;
}

void gray_steps(int n, real *x)
{
    for (int b = 0; (1 << b) < n; b++)
        for (int i = 0; i < n; i++)
            if (((i >> b) & 1) != 0)
                x[i] *= 0.5f;
}

void reduce_modulo(int n, real *x)
{
    for (int stride = 1; stride < n; stride *= 2)
        for (int t = 0; t < n; t++)
            if ((t % (2 * stride)) == 0 && t + stride < n)
                x[t] += x[t + stride];
}

void hypercube_exchange(int n, real *x, real *y)
{
    for (int d = 1; d < n; d = d * 2) {
        for (int rank = 0; rank < n; rank++)
            if ((rank & d) != 0)
                y[rank] = y[rank] + x[rank];
            else
                y[rank] = y[rank] * 2.0f + x[rank] * 0.5f;
    }
}

void bitonic_down(int n, real *x)
{
    for (int size = 2; size <= n; size *= 2)
        for (int stride = size / 2; stride >= 1; stride /= 2)
            for (int i = 0; i < n; i++)
                if ((i & stride) == 0)
                    x[i] = x[i] * 0.5f + x[i | stride];
}

void brick_sort(int n, real *x)
{
    for (int round = 0; round < n; round++)
        for (int i = 0; i < n - 1; i++)
            if (i % 2 == round % 2) {
                real a = x[i], b = x[i + 1];
                x[i] = a + b;
                x[i + 1] = a - b;
            }
}

void sum_over_subsets(int n, real *x)
{
    for (int bit = 1; bit < n; bit <<= 1)
        for (int mask = 0; mask < n; mask++)
            if (mask & bit)
                x[mask] += x[mask ^ bit];
}

void haar_by_mask(int n, real *x)
{
    for (int h = 1; 2 * h <= n; h *= 2)
        for (int i = 0; i < n; i++)
            if ((i & (2 * h - 1)) == 0 && i + h < n)
                x[i] = (x[i] + x[i + h]) * 0.5f;
}

void fwt_by_index(int n, real *x)
{
    for (int h = n / 2; h > 0; h >>= 1)
        for (int i = 0; i < n; i++)
            if (!(i & h)) {
                real a = x[i], b = x[i + h];
                x[i] = a + b;
                x[i + h] = a - b;
            }
}

void not_every_third_block(int n, int m, real *x)
{
    for (int i = 0; i < n; i++)
        if ((i / m) % 3 != 2)
            x[i] = x[i] + 1.0f;
}
