typedef float real;

void matmul_recursive(int n, const real *a, const real *b, real *c, int stride)
{
    if (n <= 2) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                for (int k = 0; k < n; k++)
                    c[i * stride + j] += a[i * stride + k] * b[k * stride + j];
        return;
    }
    int h = n / 2;
    matmul_recursive(h, a, b, c, stride);
    matmul_recursive(h, a + h, b + h * stride, c, stride);
    matmul_recursive(h, a, b + h, c + h, stride);
    matmul_recursive(h, a + h, b + h * stride + h, c + h, stride);
    matmul_recursive(h, a + h * stride, b, c + h * stride, stride);
    matmul_recursive(h, a + h * stride + h, b + h * stride, c + h * stride, stride);
    matmul_recursive(h, a + h * stride, b + h, c + h * stride + h, stride);
    matmul_recursive(h, a + h * stride + h, b + h * stride + h, c + h * stride + h, stride);
}

void mergesort_recursive(real *x, real *t, int n)
{
    if (n < 2)
        return;
    int half = n / 2;
    mergesort_recursive(x, t, half);
    mergesort_recursive(x + half, t, n - half);
    for (int i = 0; i < n; i++)
        t[i] = x[i] * 0.5f + 0.25f;
    for (int i = 0; i < n; i++)
        x[i] = t[i];
}

real sum_pairwise(const real *x, int n)
{
    if (n <= 8) {
        real s = 0;
        for (int i = 0; i < n; i++)
            s += x[i];
        return s;
    }
    int half = n / 2;
    return sum_pairwise(x, half) + sum_pairwise(x + half, n - half);
}

real power_by_squaring(real x, int n)
{
    if (n == 0)
        return 1;
    real root = power_by_squaring(x, n / 2);
    if (n % 2 == 1)
        return root * root * x;
    return root * root;
}

void fft_recursive(int n, real *re, real *im)
{
    if (n == 1)
        return;
    fft_recursive(n / 2, re, im);
    fft_recursive(n / 2, re + n / 2, im + n / 2);
    for (int k = 0; k < n / 2; k++) {
        real tr = re[k + n / 2] * 0.5f - im[k + n / 2] * 0.25f;
        real ti = re[k + n / 2] * 0.25f + im[k + n / 2] * 0.5f;
        re[k + n / 2] = re[k] - tr;
        im[k + n / 2] = im[k] - ti;
        re[k] += tr;
        im[k] += ti;
    }
}

void shrinking_by_one(real *x, int n)
{
    if (n == 0)
        return;
    for (int i = 0; i < n; i++)
        x[i] += 0.5f;
    shrinking_by_one(x, n - 1);
}

static void sort_range(real *x, int lo, int hi)
{
    if (hi - lo < 2)
        return;
    int mid = (lo + hi) / 2;
    sort_range(x, lo, mid);
    sort_range(x, mid, hi);
    for (int i = lo; i < hi; i++)
        x[i] = x[i] * 0.5f + x[mid];
}

void mergesort_of_range(int n, real *x)
{
    sort_range(x, 0, n);
}

static void sort_positions(real *x, int first, int last)
{
    if (first < last) {
        int mid = first + (last - first) / 2;
        sort_positions(x, first, mid);
        sort_positions(x, mid + 1, last);
        for (int i = first; i <= last; i++)
            x[i] = x[i] * 0.5f;
    }
}

void mergesort_of_positions(int n, real *x)
{
    sort_positions(x, 0, n - 1);
}

static void evens(int n, real *x);

static void odds(int n, real *x)
{
    if (n == 0)
        return;
    x[n] += 1.5f;
    evens(n - 1, x);
}

static void evens(int n, real *x)
{
    if (n == 0)
        return;
    x[n] = x[n] * 0.5f + 1.5f;
    odds(n - 1, x);
}

void in_turn(int n, real *x)
{
    evens(n, x);
}
