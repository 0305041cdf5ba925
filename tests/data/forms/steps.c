typedef float real;

void fenwick_build(int n, real *x, const real *y)
{
    for (int i = 1; i <= n; i++)
        for (int j = i; j <= n; j += j & -j)
            x[j] += y[i];
}

void fenwick_sums(int n, const real *x, real *y)
{
    for (int i = 1; i <= n; i++) {
        real s = 0;
        for (int j = i; j > 0; j -= j & -j)
            s += x[j];
        y[i] = s;
    }
}

void fenwick_range(int n, const real *x, real *y)
{
    real s = 0;
    for (int j = n; j > 0; j &= j - 1)
        s += x[j];
    y[0] = s;
}

void euclid_all(int n, real *x)
{
    for (int i = 1; i <= n; i++) {
        int a = n, b = i;
        while (b) {
            int r = a % b;
            a = b;
            b = r;
            x[i] += 1.0f;
        }
    }
}

void gray_flips(int n, real *x)
{
    for (int i = 1; i < n; i++) {
        int bit = 0;
        while (((i >> bit) & 1) == 0)
            bit++;
        x[bit] += 1.0f;
    }
}

void ruler(int n, real *x)
{
    for (int i = 1; i <= n; i++)
        for (int j = i; j % 2 == 0; j /= 2)
            x[j] += 1.0f;
}

void harmonic(int n, real *x)
{
    for (int i = 1; i <= n; i++)
        for (int j = i; j <= n; j += i)
            x[j] += 1.0f;
}

void cube_root(int n, real *x)
{
    for (int i = 1; i * i * i <= n; i++)
        x[i] = x[i] * 2.0f + 1.0f;
}

void iterated_squares(int n, real *x)
{
    for (int i = 2; i < n; i *= i)
        x[i] += 1.0f;
}

void shell_sort_gaps(int n, real *x)
{
    int gap = 1;
    while (gap < n / 3)
        gap = 3 * gap + 1;
    while (gap >= 1) {
        for (int i = gap; i < n; i++)
            x[i] = x[i] * 0.5f + x[i - gap];
        gap = (gap - 1) / 3;
    }
}

void down_unsigned(int n, real *x)
{
    for (unsigned i = n; i-- > 0;)
        for (unsigned j = i; j + 1 > 1; j -= j & -j)
            x[j] += 1.0f;
}

void triangle_of_steps(int n, real *x)
{
    for (int i = 1; i < n; i++)
        for (int k = 0; k < i; k++)
            for (int j = k; j <= n; j += (j & -j) + 1)
                x[j] += 1.0f;
}

void bits_of_bytes(int n, real *x)
{
    for (int i = 0; i < n; i++)
        for (unsigned char mask = 1; mask != 0; mask <<= 1)
            x[i] += 1.0f;
}

// blocks of 1, 2, 4, ... elements, one behind the other
void blocks_that_double(int n, real *x)
{
    for (long first = 0, size = 1; first < n; first += size, size *= 2)
        for (long i = first; i < (first + size < n ? first + size : n); i++)
            x[i] += 1.0f;
}

// the same sums of powers of 3 from another start, tested behind the step
void sums_of_thirds(int n, real *x)
{
    int at = 2, size = 1;
    do {
        x[size] += 1.0f;
        at += 2 * size;
        size *= 3;
    } while (at < n);
    while (at > 0) {
        x[0] *= 2.0f;
        at--;
    }
}

// a sum of the powers behind their step
void far_first(int n, real *x)
{
    unsigned at = 0, size = 1;
    while (at <= (unsigned)n) {
        size = size << 1;
        at = at + size;
        x[0] += 1.0f;
    }
}
