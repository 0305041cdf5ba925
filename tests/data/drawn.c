typedef float real;
typedef int whole;
#include <math.h>
#define ROW 64
#define SQUARE(v) ((v) * (v))
#define LEAST(v, w) ((v) < (w) ? (v) : (w))
struct cell { real mass; real at[3]; whole kind; };

static void drawn_0_update4(real *p, int k)
{
    while (k-- > 0) *p += p[k];
}
void drawn_0(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    for (int i1 = 1; i1 < 1; i1++)
        b[(int)2.5 - n] += (2 * x / (c[i1 - 2] * x));
    for (int i2 = 1; i2 < 2 * n && i2 < n; i2++) {
        int d3 = 0;
        do {
            if (x >= 0) {
                x *= x;
                drawn_0_update4(a + d3, m);
                c[(d3 - m)] = (s[d3 - 2].mass < x ? (x / x) : a[3 * n]);
            }
        } while (++d3 < 2 * n);
        c[(int)sizeof(real) - i2] = x;
        if (x >= 0) {
            switch ((i2) % 3) {
            case 0:
            {
                unsigned char k5 = i2;
            }
            }
        } else if (i2 <= (i2 != (i2 % 3) ? i2 : i2)) {
            (&s[i2])->mass *= ((i2 > (n >> 1) ? x : x) - -c[n - 3]);
        }
    }
    for (int i6 = 1; i6 < 2 * n && i6 < 9; i6++) {
        int w7 = 0;
        while (w7 < LEAST(n, m)) {
            s[i6].at[2] += x;
            w7 += 2;
        }
    }
}

static real drawn_1_value3(real v, int k)
{
    real sum = 0; for (int i = 0; i < k; i++) sum += v * i; return sum;
}
void drawn_1(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    int w2 = 0;
    real *p5 = a;
    for (int i1 = 0; i1 < 3; i1++)
        (&s[n])->mass = b[ip[m - 2]];
    w2 = 0;
    while (w2 < 9) {
        b[(w2 == -w2 ? w2 : w2)] = drawn_1_value3(x, m);
        w2 = w2 + 1;
    }
    if ((m) % 2) goto after4;
    x = SQUARE(b[-m]);
    after4: ;
    p5 = b + (n);
}

static void drawn_2_update2(real *p, int k)
{
    do { p[k] = p[k] / 3 - 1; } while (++k < 4);
}
static void drawn_2_update5(real *p, int k)
{
    if (k < 2) return; p[0] = p[1] + p[k];
}
void drawn_2(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    for (int i1 = 0; i1 < m; ++i1) {
        if (i1 == (i1 & ~1)) {
            if (i1 == n + 2 || x >= x) break;
        } else if (i1 > i1) {
            drawn_2_update2(&c[m], n);
            if (x <= 0) {
                real *p3 = c + (m);
                *(p3 + (n)) *= (x + i1);
            }
            int w4 = 1;
            while (w4 < m + 2) {
                if (m == (w4 % 3)) w4 += 1;
                drawn_2_update5(c + w4, w4);
                aa[w4 + 2][w4 - 3] = c[i1];
                w4 += 2;
            }
        }
    }
    x += x;
}

void drawn_4(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    int w4 = 0;
    for (int i1 = 1; i1 < n / 2; i1++) {
        s[i1 - 1].mass = (0.5f * s[i1].mass / (i1 <= i1 - 1 || s[i1].mass <= 1 ? s[i1].mass : aa[(i1 <= i1 ? i1 : n)][i1]));
    }
    if (x <= 0) {
        x = ((b[m] * c[(m & ~1)]) + (x - b[n]));
        for (int i2 = 0; i2 <= 9; i2 += 3) {
            x = c[(n + i2)];
            if (i2 >= i2 - 2 || (&s[i2])->mass >= 1) break;
            c[3 * i2] = -c[ip[i2 - 1]];
        }
        w4 = 1;
        while (w4 < 2 * n) {
            x -= (real)w4 * x;
            x = (0.5f * x / (a[w4] <= 1 ? x : x));
            s[n].at[2] -= b[(m >> 1)];
            w4++;
        }
        b[m - 2] = 0.5f * x;
        if (m >= n - 1) goto after3;
        *(c + (m)) -= x;
        after3: ;
    } else if (m >= m) {
        ;
    }
}

void drawn_6(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    for (int i1 = 1; i1 < LEAST(n, m); i1++) {
        *(b + (i1)) = SQUARE(x);
    }
    for (int i2 = 0, j3 = 2 * n; i2 < j3; i2++, j3--) {
        int w4 = 0;
        while (w4 < 9) {
            if (x < x) break;
            c[w4 + 3] += *(c + (w4));
            w4 = w4 + 1;
        }
        int d5 = 0;
        do {
            aa[d5][d5] = (s[i2].at[1] * (real)i2 * (&s[n])->mass);
            c[m] -= SQUARE((&s[d5])->mass);
            if (m >= i2) {
                *(a + (i2 - 2)) -= (real)m * b[ip[3 * i2]];
                c[ip[i2]] -= (2 * x - x);
                real t6 = (x + d5);
            } else if (i2 >= 2 * j3) {
                x *= ((x * c[i2 + 1]) / (real)m * x);
            }
        } while (++d5 < n - 1);
        int d7 = 0;
        do {
            ;
        } while (++d7 < n / 2);
    }
}

static void drawn_7_update4(real *p, int k)
{
    real *end = p + k; while (p < end) *p++ += 1;
}
static void drawn_7_update8(real *p, int k)
{
    while (k-- > 0) *p += p[k];
}
void drawn_7(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    for (int i1 = 0; i1 < n / 2; i1++) {
        int w2 = 1;
        while (w2 < n) {
            (&s[w2])->mass = ((x / a[i1 - 2]) - 2 * b[w2 + 3]);
            (&s[m])->mass *= fabsf(a[i1 - 2]);
            for (int i3 = w2; i3 < m; ++i3) {
                drawn_7_update4(b + i1, w2);
            }
            w2++;
        }
    }
    for (int i5 = 0; i5 <= 9; i5 += 3) {
        for (int i6 = 1; i6 < 1; i6++)
            x -= (x * sqrtf(x));
        a[i5] = ((&s[m])->mass + i5);
        int d7 = 0;
        do {
            switch ((n) & 3) {
            default:
            {
                a[m - 2] = s[i5].at[1];
            }
            case 0:
            {
                drawn_7_update8(b, m);
                int k9 = 2 * d7;
                a[i5 + 1] = (expf(a[3 * m]) * (s[i5].at[1] - c[d7]));
            }
                break;
            case 2:
            {
                ;
            }
            }
        } while (++d7 < m + 2);
    }
}

static real drawn_8_value2(real v, int k)
{
    for (int i = 0; i < k; i++) { if (i == 5) return v; v = v / 2; } return -v;
}
void drawn_8(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    int w3 = 0;
    real *p6 = a;
    real t7 = 0;
    for (int i1 = n - 1; i1 > 0; i1--) {
        x -= drawn_8_value2(c[(int)sizeof(struct cell) - n], i1);
    }
    aa[-m][n + 2] *= (-b[n + 3] + ((&s[m])->mass * (&s[n])->mass));
    w3 = 2;
    while (w3 < 9) {
        for (int i4 = 0;; i4++) {
            if (i4 >= n / 2) break;
            for (int i5 = 0; i5 < w3; i5 += 1) {
                b[w3 - 1] += s[w3].mass;
                a[i5] = (x > 1 ? SQUARE(b[i4]) : x);
            }
            x = (x * (x * x));
            if (i4 < (w3 >> 1) && i4 >= m) {
                p6 = b + (w3);
            } else if (w3 != m - 3 || i4 >= i4) {
                c[-w3] = (-a[w3 - 2] - (*(c + (LEAST(i4, w3))) + *(b + (w3))));
            } else {
                i4 += 1;
                t7 = ((b[w3 - 2] * x) * SQUARE(a[m]));
            }
        }
        switch (m) {
        case 2:
        {
            ;
        }
        case 1:
        {
            ;
        }
            break;
        }
        w3++;
    }
}

static void drawn_10_update5(real *p, int k)
{
    real *end = p + k; while (p < end) *p++ += 1;
}
static void drawn_10_update7(real *p, int k)
{
    real *end = p + k; while (p < end) *p++ += 1;
}
void drawn_10(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    for (int i1 = LEAST(n, m); i1 > -2; i1--) {
        for (int i2 = m + 2 - 1; i2 >= 0; --i2) {
            int w3 = 2;
            while (w3 < 9) {
                x = ((aa[LEAST(w3, w3)][i2 - 3] >= x ? a[i2 - 3] : (&s[i2])->mass) / (x - b[(int)sizeof(real) - m]));
                x = expf(x);
                w3++;
            }
            for (int i4 = 0; i4 < 3; i4++)
                (&s[i1])->mass += b[i2];
            if (i1 >= i2) {
                s[i2].at[0] += ((x + i1) / (c[(int)2.5 - n] + i1));
            }
        }
    }
    drawn_10_update5(&c[m], n);
    int w6 = 2;
    while (w6 < m) {
        drawn_10_update7(&a[m], w6);
        w6 += 2;
    }
    for (int i8 = LEAST(n, m); i8 > 1; i8 -= 2) {
        for (int i9 = 0; i9 <= LEAST(n, m); i9 += 2) {
            c[m] = SQUARE(x);
            if (i8 == i9 + 3) {
                ;
            } else if (!(i9 > i8)) {
                ;
            }
        }
    }
}

static real drawn_12_value8(real v, int k)
{
    if (v < 0) return 0; return sqrtf(v) + k;
}
void drawn_12(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    for (int i1 = 0;; i1++) {
        if (i1 >= 9) break;
        for (int i2 = 0; i2 <= n / 2; i2 += 3) {
            int w3 = 2;
            while (w3 < i2) {
                (&s[w3])->mass += ((s[i1].at[0] + x) + SQUARE(x));
                real *p4 = c + ((w3 + w3));
                x *= (a[ip[m - 2]] + w3);
                w3 = w3 + 1;
            }
            switch ((i1) & 3) {
            case 2:
            {
                a[2 * n] *= x;
            }
                break;
            }
            int w5 = 2;
            while (w5 < i2) {
                (&s[i2])->mass += (sqrtf((&s[i2])->mass) - (*(a + (i1 + 2)) * c[i1]));
                w5++;
            }
        }
    }
    int d6 = 0;
    do {
        for (int i7 = 0; i7 < 2 * n; i7 += 1) {
            b[(int)sizeof(real) - i7] += drawn_12_value8(s[d6].mass, m);
        }
        if (d6 == d6) {
            if (m > n) {
                ;
            }
        }
    } while (++d6 < 2 * n);
}

void drawn_15(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    for (int i1 = 0; i1 < n; i1++) {
        x += *(b + (n));
    }
    switch ((m) % 3) {
    case 1:
    {
        for (int i2 = LEAST(n, m); i2 > 0; i2 -= 2) {
            int w3 = 2;
            while (w3 < 2 * n) {
                real *p4 = a + (m + 1);
                long k5 = m;
                *p4++ = s[k5].mass;
                w3 += 2;
            }
            for (int i6 = 1; i6 < 2 * n && i6 < m; i6++) {
                s[m].at[1] -= 0.5f * b[(int)2.5 - i2];
            }
            switch (i2) {
            case 0:
            {
                if (m >= n && n < m - 3) return;
            }
                break;
            default:
            {
                b[ip[i2]] += 2 * x;
                *(c + (n + 2)) = -c[m];
                b[LEAST(m, i2)] *= (-c[(int)sizeof(struct cell) - n] / x);
            }
            case 1:
            {
                ;
            }
            }
        }
    }
        break;
    default:
    {
        ;
    }
        break;
    case 2:
    {
        ;
    }
    }
}

static void drawn_16_update2(real *p, int k)
{
    while (k-- > 0) *p += p[k];
}
void drawn_16(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    for (int i1 = 2 * n - 1; i1 >= 0; --i1) {
        aa[i1][LEAST(i1, m)] += aa[LEAST(i1, n)][(i1 <= i1 ? n : i1)];
        drawn_16_update2(&c[i1], m);
    }
    int k3 = m;
}

void drawn_17(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    for (int i1 = 1; i1 < 3; i1++)
        aa[i1][n] *= (m < i1 + 3 ? (c[i1] + c[(int)sizeof(real) - i1]) : x);
    switch ((m) % 3) {
    case 0:
    {
        if (m <= n - 1) break;
    }
        break;
    case 2:
    {
        b[m + 2] = 2 * *(a + (-m));
        aa[m][n] *= (c[n - 2] * x);
    }
        break;
    case 1:
    {
        int w2 = 1;
        while (w2 < LEAST(n, m)) {
            for (int i3 = 1; i3 < n - 1 && i3 < n - 1; i3++) {
                if (w2 != 2 * m) continue;
                (&s[i3])->mass -= ((x + x) / x);
                real t4 = x;
            }
            w2 = w2 + 1;
        }
        real t5 = ((b[m] / b[(int)sizeof(struct cell) - m]) * (&s[m])->mass);
    }
        break;
    }
    int k6 = n + 1;
    int w7 = 1;
    while (w7 < m + 2) {
        b[w7 + 3] += expf(SQUARE(c[w7]));
        int w8 = 2;
        while (w8 < m + 2) {
            ;
            w8++;
        }
        w7++;
    }
}

static void drawn_18_update3(real *p, int k)
{
    if (k < 2) return; p[0] = p[1] + p[k];
}
static void drawn_18_update9(real *p, int k)
{
    do { p[k] = p[k] / 3 - 1; } while (++k < 4);
}
void drawn_18(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    real *p2 = a;
    int w4 = 0;
    int w5 = 0;
    real *p7 = a;
    for (int i1 = 0;; i1++) {
        if (i1 >= LEAST(n, m)) break;
        p2 = c + (n);
        drawn_18_update3(&b[i1], m);
    }
    w4 = 0;
    while (w4 < n - 1) {
        c[n] += -x;
        w4++;
    }
    w5 = 2;
    while (w5 < 9) {
        for (int i6 = 0; i6 < m + 2; i6 += 1) {
            p7 = b + (w5);
        }
        if (c[(int)sizeof(struct cell) - w5] <= x) {
            for (int i8 = w5 - 1; i8 >= 0; --i8) {
                c[i8] -= ((x * a[ip[n]]) * sqrtf(s[(w5 - w5)].mass));
                drawn_18_update9(c + w5, m);
            }
            for (int i10 = w5; i10 < m + 2; i10 += 1) {
                (&s[i10])->mass = (2 * x * (x - a[i10]));
                b[i10] += (SQUARE(x) / ((&s[w5])->mass / aa[i10][i10]));
            }
        }
        w5 += 2;
    }
}

static real drawn_19_value6(real v, int k)
{
    return k > 3 ? v * 2 : v + 1;
}
void drawn_19(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    for (int i1 = 2; i1 < 1; i1++)
        b[ip[m]] = (-x * (a[i1] * a[n]));
    if (s[2 * n].mass < 1) {
        c[m] -= ((a[n] + m) * (real)n * b[ip[n - 3]]);
    } else {
        for (int i2 = 1; i2 < 1; i2++)
            (&s[n])->mass = x;
        s[n].mass -= ((c[ip[m - 2]] - s[n].at[1]) - (&s[n])->mass);
    }
    int d3 = 0;
    do {
        int w4 = 2;
        while (w4 < m + 2) {
            if (d3 != n + 1 && c[w4] >= x) {
                s[w4].at[2] *= ((*(b + (w4)) * b[d3 - 3]) / a[n]);
                real t5 = x;
            } else {
                x = 0.5f * c[w4];
                x *= (real)d3 * c[-w4];
            }
            real t7 = drawn_19_value6(c[(w4 + n)], n);
            for (int i8 = 0, j9 = n / 2; i8 < j9; i8++, j9--) {
                a[(int)2.5 - d3] -= ((a[(int)sizeof(real) - i8] * (&s[d3])->mass) - b[-n]);
            }
            w4 = w4 + 1;
        }
    } while (++d3 < 9);
}

static void drawn_20_update2(real *p, int k)
{
    while (k-- > 0) *p += p[k];
}
void drawn_20(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    for (int i1 = 0;; i1++) {
        if (i1 >= n - 1) break;
        if (i1 == i1) {
            if ((&s[i1])->mass > x) return;
            drawn_20_update2(&a[m], i1);
        } else if (i1 <= i1) {
            if (i1 != i1) {
                i1 += 1;
            } else {
                x += x;
            }
            int d3 = 0;
            do {
                x = (SQUARE(c[2 * i1]) - (x + x));
                real *p4 = b + (i1 + 2);
                int k5 = d3;
            } while (++d3 < m + 2);
        }
        a[(i1 <= (m <= 3 * i1 ? i1 : n) ? i1 : i1)] = s[m].mass;
    }
    for (int i6 = LEAST(n, m) - 1; i6 >= 0; --i6) {
        x -= (3.0f * x + b[ip[i6]]);
    }
}

void drawn_21(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    real *p3 = a;
    for (int i1 = 0, j2 = n / 2; i1 < j2; i1++, j2--) {
        p3 = b + (m);
        for (int i4 = 0; i4 < 1; i4++)
            (&s[i1])->mass = (SQUARE(x) * (x + a[(i4 - m)]));
        b[(int)sizeof(struct cell) - i1] = (b[ip[(n - i1)]] * -x);
    }
    a[(int)2.5 - n] *= (-a[n - 3] * b[m]);
    b[(n / 2)] += (n <= n ? (s[m - 1].mass + n) : s[n].at[0]);
}

static void drawn_23_update3(real *p, int k)
{
    do { p[k] = p[k] / 3 - 1; } while (++k < 4);
}
static void drawn_23_update7(real *p, int k)
{
    do { p[k] = p[k] / 3 - 1; } while (++k < 4);
}
void drawn_23(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    for (int i1 = 0; i1 < m; i1 += 1) {
        for (int i2 = 1; i2 < 2 * n && i2 < i1; i2++) {
            c[m + 3] -= SQUARE(a[LEAST(i1, i2)]);
            if (x <= 1) break;
            if ((i1) % 2) {
                drawn_23_update3(b, i2);
            }
        }
        x = 3.0f * x;
    }
    c[m] *= x;
    switch ((m) % 3) {
    case 0:
    {
        for (int i4 = 0; i4 < n - 1; i4 += 1) {
            if (m >= i4) continue;
        }
        for (int i5 = 1; i5 < m; ++i5) {
            x = c[m - 1];
            for (int i6 = 0; i6 < n / 2; i6 += 1) {
                drawn_23_update7(c + i6, i6);
            }
        }
    }
        break;
    }
}

void drawn_24(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    for (int i1 = 1; i1 < n - 1; i1 *= 2) {
        if (i1 != i1 - 2) return;
    }
    c[(int)2.5 - m] -= (3.0f * x / (x * x));
    real t2 = ((x + m) - c[n]);
    b[m + 1] = (2 * s[n].at[2] / -x);
}

void drawn_30(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    for (int i1 = 0; i1 < n; i1 += 1) {
        if (x >= x) break;
    }
    c[ip[m - 1]] = 2 * x;
}

void drawn_31(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    int w5 = 0;
    int w7 = 0;
    for (int i1 = 0; i1 < n / 2; i1 += 1) {
        c[i1] = (x - (b[ip[i1]] * a[i1]));
    }
    for (int i2 = 1; i2 < n - 1; i2++) {
        x = (&s[i2])->mass;
    }
    *(a + (m - 1)) += -c[(int)sizeof(real) - m];
    if (m <= m - 2) goto after4;
    w5 = 2;
    while (w5 < 2 * n) {
        *(c + (w5 - 3)) = s[n].at[0];
        w5 = w5 + 1;
    }
    if (n != m) goto after3;
    for (int i6 = 0; i6 < 2 * n; i6 += 1) {
        if (i6 >= (i6 - m)) continue;
    }
    after4: ;
    w7 = 1;
    while (w7 < m + 2) {
        (&s[w7])->mass = x;
        w7 += 2;
    }
    if (m < m - 3) goto after8;
    if (n == (m + n)) {
        ;
    } else {
        ;
    }
    after8: ;
    after3: ;
}

static void drawn_32_update4(real *p, int k)
{
    if (k < 2) return; p[0] = p[1] + p[k];
}
static void drawn_32_update12(real *p, int k)
{
    do { p[k] = p[k] / 3 - 1; } while (++k < 4);
}
void drawn_32(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    int k9 = 0;
    real *p10 = a;
    for (int i1 = 1; i1 < n - 1; i1 += 1) {
        for (int i2 = 0, j3 = n; i2 < j3; i2++, j3--) {
            drawn_32_update4(&a[j3], i1);
        }
    }
    if (n >= n - 1) {
        x = SQUARE(c[m]);
        for (int i5 = 0, j6 = LEAST(n, m); i5 < j6; i5++, j6--) {
            for (int i7 = 0, j8 = m + 2; i7 < j8; i7++, j8--) {
                k9 = j8;
                b[ip[2 * n]] = ((x / a[ip[2 * i7]]) / -x);
                p10 = c + ((i7 + n));
            }
        }
    }
    x *= expf((x + c[n - 1]));
    for (int i11 = 1; i11 < 9; i11++) {
        drawn_32_update12(&a[i11], n);
        if (c[i11 + 3] <= 0) {
            for (int i13 = 1; i13 < i11; i13 += 1) {
                ;
            }
        } else if (i11 >= i11) {
            ;
        } else {
            ;
        }
    }
}

void drawn_35(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    for (int i1 = 0; i1 < 6; i1++)
        b[(n / 2)] *= 2 * a[n];
    real *p2 = a + (n);
}

static real drawn_37_value4(real v, int k)
{
    while (k > 0) { v += 3; k /= 2; } return v;
}
static void drawn_37_update6(real *p, int k)
{
    while (k-- > 0) *p += p[k];
}
static real drawn_37_value7(real v, int k)
{
    real sum = 0; for (int i = 0; i < k; i++) sum += v * i; return sum;
}
void drawn_37(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    for (int i1 = 0; i1 < n; ++i1) {
        for (int i2 = 0; i2 < n / 2; ++i2) {
            for (int i3 = 0; i3 < n; ++i3) {
                x *= ((a[i1 + 3] / s[i3].at[0]) + (x - s[i1].mass));
            }
            if (i1 <= i1 - 2 && i1 > i2) {
                a[LEAST(i2, i1)] -= s[i2].mass;
                b[i1] = (&s[i2])->mass;
                x = drawn_37_value4(x, i1);
            } else {
                real *p5 = c + (i1 + 2);
                drawn_37_update6(b, i2);
                if (i2 >= (i1 % 3) || i2 < m) break;
            }
            if (x >= 0) {
                x = x;
                x += (c[i1] * (x * c[i1]));
                c[(i2 + i1)] = drawn_37_value7(a[(i1 > m ? i1 : i1)], m);
            } else {
                ;
            }
        }
    }
    ;
}

static void drawn_39_update3(real *p, int k)
{
    real *end = p + k; while (p < end) *p++ += 1;
}
static void drawn_39_update4(real *p, int k)
{
    while (k-- > 0) *p += p[k];
}
void drawn_39(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    int w2 = 0;
    real t6 = 0;
    int w8 = 0;
    for (int i1 = n; i1 > 0; i1--) {
        w2 = 2;
        while (w2 < m + 2) {
            drawn_39_update3(&a[i1], i1);
            b[i1] = 2 * x;
            if ((m) % 2) {
                drawn_39_update4(b + n, w2);
                a[i1 + 3] = (x + n);
                (&s[n])->mass = (c[(w2 <= 3 * w2 ? i1 : w2)] / (b[w2] + a[LEAST(w2, w2)]));
            }
            w2++;
        }
        for (int i5 = 0; i5 <= m + 2; i5 += 2) {
            t6 = (2 * x * s[i5].at[1]);
        }
    }
    (&s[n])->mass -= c[ip[n]];
    x *= sqrtf((x / a[n - 3]));
    if (!(m <= -m)) goto after7;
    w8 = 2;
    while (w8 < m) {
        if (w8 > w8 - 1) {
            ;
        } else if (w8 <= LEAST(w8, w8)) {
            ;
        } else {
            ;
        }
        w8++;
    }
    after7: ;
}

static void drawn_40_update4(real *p, int k)
{
    real *end = p + k; while (p < end) *p++ += 1;
}
static void drawn_40_update5(real *p, int k)
{
    do { p[k] = p[k] / 3 - 1; } while (++k < 4);
}
static void drawn_40_update6(real *p, int k)
{
    if (k < 2) return; p[0] = p[1] + p[k];
}
void drawn_40(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    for (int i1 = 1; i1 < n && i1 < m + 2; i1++) {
        if (i1 > 2 * i1) {
            int d2 = 0;
            do {
                (&s[i1])->mass *= 0.5f * x;
            } while (++d2 < 9);
            switch ((i1) & 3) {
            case 1:
            {
                s[i1 - 2].mass *= a[n + 1];
            }
                break;
            default:
            {
                s[n].at[1] *= (c[n] * x);
            }
                break;
            }
            for (int i3 = 1; i3 < n - 1 && i3 < n - 1; i3++) {
                drawn_40_update4(&a[i1], i3);
                a[i3] *= (&s[i1])->mass;
            }
        } else {
            if (i1 != i1) {
                (&s[m])->mass = (real)m * c[i1 - 2];
            } else {
                x += x;
                drawn_40_update5(c + i1, i1);
                drawn_40_update6(c, i1);
            }
        }
    }
    ;
}

static void drawn_41_update4(real *p, int k)
{
    if (k < 2) return; p[0] = p[1] + p[k];
}
void drawn_41(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    for (int i1 = 1; i1 < n - 1; i1 += 1) {
        real t2 = ((a[i1] / c[i1]) * (*(c + (n)) + c[i1]));
        int k3 = n - 2;
        (&s[k3])->mass -= (c[k3 += 2] / (t2 * c[LEAST(i1, k3)]));
    }
    x *= ((*(c + (3 * m)) + x) / x);
    drawn_41_update4(&c[m], n);
    a[n + 1] *= ((b[3 * n] * x) + x);
}

void drawn_42(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    for (int i1 = 0; i1 < 2 * n; i1++) {
        if (i1 == n && c[(m >= i1 ? i1 : i1)] > 1) {
            x = *(c + ((n == 2 * i1 ? m : i1)));
            int w2 = 1;
            while (w2 < n - 1) {
                s[3 * w2].mass -= sqrtf((x / x));
                c[w2 + 1] += (x - (i1 > i1 || n == n ? x : a[w2]));
                b[-n] += ((x * (&s[m])->mass) + 2 * x);
                w2 = w2 + 1;
            }
        }
    }
    x *= (s[n].mass / (x / x));
}

static void drawn_46_update4(real *p, int k)
{
    while (k-- > 0) *p += p[k];
}
static void drawn_46_update8(real *p, int k)
{
    if (k < 2) return; p[0] = p[1] + p[k];
}
void drawn_46(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    for (int i1 = n; i1 > -2; i1--) {
        for (int i2 = 1; i2 < LEAST(n, m); i2 *= 2) {
            x = x;
        }
        if (n != n) continue;
        for (int i3 = 0; i3 < n / 2; ++i3) {
            drawn_46_update4(c, i3);
        }
    }
    for (int i5 = n / 2 - 1; i5 >= 0; --i5) {
        for (int i6 = 0; i6 <= n - 1; i6 += 2) {
            real t7 = b[i5];
            if ((i5) % 2) {
                c[i6] = (((i5) % 2 ? a[i6] : b[ip[i5]]) * (real)m * x);
                drawn_46_update8(b, i6);
                t7 += -b[n + 1];
            } else if (!(n > (m < i6 ? n : i5))) {
                x = 2 * a[ip[i6 - 3]];
            }
            for (int i9 = 0; i9 < i6; ++i9) {
                ;
            }
        }
    }
}

void drawn_47(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    for (int i1 = LEAST(n, m); i1 > -2; i1 -= 2) {
        for (int i2 = n; i2 > 1; i2--) {
            x *= x;
        }
        for (int i3 = 0; i3 < n - 1; ++i3) {
            *(c + (i3 + 3)) = c[ip[i1]];
        }
    }
    switch ((n) & 3) {
    case 0:
    {
        int w4 = 1;
        while (w4 < n) {
            real *p5 = b + ((m % 3));
            if (n >= (w4 - w4)) {
                int k6 = (w4 << 1);
            }
            w4 += 2;
        }
    }
        break;
    case 1:
    {
        for (int i7 = 0;; i7++) {
            if (i7 >= LEAST(n, m)) break;
            for (int i8 = 0; i8 <= n; i8 += 2) {
                x = (*(c + (n)) * b[i7]);
            }
            a[(int)2.5 - m] -= ((x + x) + (c[i7] / aa[m][n]));
            (&s[i7])->mass *= (c[LEAST(n, i7)] + n);
        }
    }
    case 2:
    {
        ;
    }
    default:
    {
        ;
    }
    }
}

static real drawn_48_value5(real v, int k)
{
    return k > 3 ? v * 2 : v + 1;
}
static real drawn_48_value9(real v, int k)
{
    for (int i = 0; i < k; i++) { if (i == 5) return v; v = v / 2; } return -v;
}
void drawn_48(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    for (int i1 = 0; i1 < 2 * n; i1++) {
        int w2 = 0;
        while (w2 < m) {
            if (i1 >= w2) {
                a[i1 - 3] += aa[(i1 / 3)][i1];
                aa[w2][(w2 < w2 ? w2 : m)] *= SQUARE(b[n]);
            }
            int d3 = 0;
            do {
                aa[d3][n + 1] = x;
                real *p4 = c + ((i1 >= d3 ? m : w2));
                s[w2].at[2] *= drawn_48_value5(x, w2);
            } while (++d3 < i1);
            w2++;
        }
        x = (n < (i1 >= n ? i1 : n) || x < 0 ? (x - s[i1].at[2]) : x);
        int w6 = 2;
        while (w6 < m) {
            int w7 = 2;
            while (w7 < n - 1) {
                int k8 = w6;
                x *= drawn_48_value9(x, w6);
                if (i1 <= n && i1 <= i1 - 1) return;
                w7++;
            }
            w6++;
        }
    }
    ;
}

static void drawn_49_update2(real *p, int k)
{
    do { p[k] = p[k] / 3 - 1; } while (++k < 4);
}
void drawn_49(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    int w3 = 0;
    int w5 = 0;
    real *p7 = a;
    for (int i1 = m; i1 > 1; i1--) {
        b[(i1 - m)] += ((b[ip[i1]] * x) * (x / s[n].at[0]));
        drawn_49_update2(b + n, n);
        w3 = 2;
        while (w3 < LEAST(n, m)) {
            for (int i4 = 1; i4 < n; i4++) {
                *(c + (m)) += ((&s[w3])->mass + i4);
                a[-i1] = ((s[n].at[0] - c[w3]) * SQUARE(*(c + ((i4 - m)))));
            }
            w3 += 2;
        }
    }
    w5 = 2;
    while (w5 < n - 1) {
        if (!(m < w5 - 3)) {
            for (int i6 = 1; i6 < n - 1 && i6 < n; i6++) {
                (&s[w5])->mass -= (real)i6 * b[w5];
            }
            x = 0.5f * (&s[w5])->mass;
            (&s[m])->mass += (2 * a[w5] + x);
        } else if (x < 1) {
            p7 = c + (w5 + 1);
            b[w5 - 3] = (a[n] - x);
        }
        w5 += 2;
    }
}

void drawn_50(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    for (int i1 = 0; i1 < 9; i1++) {
        for (int i2 = 0; i2 <= m; i2 += 3) {
            if (i1 > i2 + 1) {
                if ((n) % 2) break;
            }
        }
        if (x < 1) {
            int w3 = 2;
            while (w3 < m) {
                if (!(i1 == w3 - 3)) break;
                w3 += 2;
            }
            switch (m) {
            default:
            {
                *(c + (i1)) = SQUARE(a[m]);
                b[i1 + 3] = (real)m * (&s[n])->mass;
                a[i1] *= *(c + (m - 1));
            }
                break;
            case 2:
            {
                int k4 = i1;
            }
                break;
            case 0:
            {
                real t5 = c[i1 + 2];
                a[i1 - 2] += b[(int)sizeof(struct cell) - i1];
            }
                break;
            case 1:
            {
                real t6 = (b[n - 3] / x);
            }
                break;
            }
        } else {
            ;
        }
    }
    ;
}

void drawn_52(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    for (int i1 = 1; i1 < LEAST(n, m); ++i1) {
        int d2 = 0;
        do {
            if (d2 >= i1) continue;
        } while (++d2 < n / 2);
    }
    a[(int)sizeof(real) - m] -= SQUARE(c[(m * 2 / 3)]);
}

static real drawn_53_value2(real v, int k)
{
    if (v < 0) return 0; return sqrtf(v) + k;
}
static void drawn_53_update4(real *p, int k)
{
    do { p[k] = p[k] / 3 - 1; } while (++k < 4);
}
static real drawn_53_value5(real v, int k)
{
    real sum = 0; for (int i = 0; i < k; i++) sum += v * i; return sum;
}
void drawn_53(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    for (int i1 = 0; i1 < LEAST(n, m); i1 += 1) {
        i1 += 1;
        if (i1 > i1) {
            b[i1] = -a[ip[i1]];
            (&s[n])->mass = (drawn_53_value2(x, i1) / (x + x));
            int w3 = 1;
            while (w3 < 9) {
                b[ip[i1 + 3]] += ((x + m) - (x + b[2 * i1]));
                drawn_53_update4(a, m);
                c[w3] = drawn_53_value5(x, i1);
                w3++;
            }
        } else if (!(m >= i1)) {
            int w6 = 2;
            while (w6 < n / 2) {
                x *= sqrtf((&s[n])->mass);
                if (n != w6 + 1) break;
                x = ((x + c[m - 3]) + SQUARE(x));
                w6 = w6 + 1;
            }
            int d7 = 0;
            do {
                if (b[i1] > 1) break;
            } while (++d7 < n / 2);
        } else {
            ;
        }
    }
    ;
}

static void drawn_54_update4(real *p, int k)
{
    real *end = p + k; while (p < end) *p++ += 1;
}
void drawn_54(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    for (int i1 = 0; i1 < LEAST(n, m); ++i1) {
        int d2 = 0;
        do {
            for (int i3 = m + 2 - 1; i3 >= 0; --i3) {
                drawn_54_update4(&c[i1], i3);
                s[d2].at[1] += ((real)d2 * b[m] * x);
                i3 -= 1;
            }
            for (int i5 = i1; i5 < d2; ++i5) {
                c[n] -= -x;
                x *= x;
                s[2 * i1].mass *= ((s[d2 + 3].mass + i5) * (i1 > (n < i5 - 2 ? n : m) ? s[i5].at[2] : s[d2].mass));
            }
        } while (++d2 < m);
        if (i1 != i1 + 1) continue;
    }
    real t6 = 2 * b[m - 2];
    if (n == m + 1) {
        for (int i7 = 1; i7 < n; i7 *= 2) {
            if (i7 != i7) {
                ;
            } else if (n <= 2 * n) {
                ;
            } else {
                ;
            }
        }
    }
}

void drawn_59(int n, int m, real *a, real *b, real *c, real (*aa)[ROW], struct cell *s, whole *ip, real x)
{
    int d2 = 0;
    real t4 = 0;
    for (int i1 = 0;; i1++) {
        if (i1 >= LEAST(n, m)) break;
        c[m] -= 3.0f * x;
    }
    d2 = 0;
    do {
        for (int i3 = 0; i3 < 2 * n; i3++) {
            b[d2] *= ((x + b[(n >> 1)]) + (!(i3 != d2) ? c[(int)sizeof(struct cell) - i3] : x));
        }
    } while (++d2 < n / 2);
    s[n].at[1] = expf(((&s[n])->mass / (&s[n])->mass));
    t4 = -b[n];
}
