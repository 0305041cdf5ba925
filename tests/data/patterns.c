/* One loop for each way in which loops are hard to count; the truth in patterns.json is of an instrumented run. */
#include <math.h>
#include <stdlib.h>

#define N 60
#define M 12

typedef float real;

real a[N], b[N], c[N], d[N], e[N], aa[M][M], bb[M][M], flat[M * M];
int ip[N];

void reversed(void)
{
    for (int i = N - 2; i >= 0; i--)
        a[i + 1] = a[i] * b[i];
}

void strided(void)
{
    for (int i = 1; i < N; i += 3)
        a[i] = a[i - 1] - b[i] / 2;
}

void triangular(void)
{
    for (int i = 1; i < M; i++)
        for (int j = 0; j <= i - 1; j++)
            a[i] += bb[j][i] * a[i - j - 1];
}

void coupled(void)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < i; j++)
            aa[i][j] = aa[j][i] + bb[i][j];
}

void induction(void)
{
    int k = 0, step = 1;
    for (int i = 0; i < N / 2; i++) {
        k += step;
        a[i] += b[N - k];
    }
}

void induction_in_two_loops(void)
{
    int k = -1;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) {
            k++;
            flat[k] = aa[i][j] + bb[i][j] * aa[j][i];
        }
}

void induction_squared(void)
{
    for (int i = 0; i < M; i++) {
        int k = i * (i + 1) / 2 + i;
        for (int j = i; j < M; j++) {
            flat[k] += bb[j][i];
            k += j + 1;
        }
    }
}

void induction_in_both_branches(void)
{
    int j = -1;
    for (int i = 0; i < N; i++)
        if (b[i] > 0) {
            j++;
            a[j] = b[i] + d[i] * e[i];
        } else {
            j++;
            a[j] = c[i] + d[i] * e[i];
        }
}

void packing(void)
{
    int j = -1;
    for (int i = 0; i < N; i++)
        if (b[i] > 0) {
            j++;
            a[j] = b[i];
        }
}

void wraparound(void)
{
    int last = N - 1, before = N - 2;
    for (int i = 0; i < N; i++) {
        a[i] = (b[i] + b[last] + b[before]) * .333f;
        before = last;
        last = i;
    }
}

void carried_scalar(void)
{
    real t = 0;
    for (int i = 0; i < N; i++) {
        real s = b[i] * c[i];
        a[i] = s + t;
        t = s;
    }
}

void carried_element(void)
{
    real t = a[0];
    for (int i = 1; i < N; i++) {
        t = t * c[i] + b[i];
        a[i] = t;
    }
}

void middle(void)
{
    for (int i = 0; i < N; i++)
        if (i + 1 < N / 2)
            a[i] += b[i] * c[i];
        else
            a[i] += b[i] * d[i] - e[i];
}

void goto_over(void)
{
    for (int i = 0; i < N - 1; i++) {
        if (b[i] < 0)
            goto other;
        a[i] = c[i] + d[i] * e[i];
        goto end;
other:
        c[i + 1] = a[i] + d[i] * d[i];
end:;
    }
}

void goto_past_two(void)
{
    for (int i = 0; i < N - 1; i++) {
        if (a[i] >= 0)
            goto end;
        if (b[i] >= 0)
            goto second;
        a[i] += c[i] * d[i];
second:
        b[i + 1] = c[i] + d[i] * e[i];
end:;
    }
}

void goto_by_iterator(void)
{
    for (int i = 0; i < N; i++) {
        if (i % 4 == 1)
            goto end;
        a[i] += b[i];
end:
        c[i] = a[i] * 2;
    }
}

void goto_by_switch(void)
{
    for (int i = 0; i < N; i++) {
        switch (ip[i] % 4) {
        case 1: goto first;
        case 2: goto second;
        case 3: goto third;
        }
first:
        a[i] += b[i] * b[i];
        goto end;
second:
        a[i] += c[i] * c[i];
        goto end;
third:
        a[i] += d[i] * d[i] * d[i];
end:;
    }
}

void goto_back(void)
{
    int i = 0;
again:
    a[i] = b[i] + c[i];
    i += 2;
    if (i < N)
        goto again;
}

void goto_out(void)
{
    int found = -1;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++)
            if (aa[i][j] < 0) {
                found = i;
                goto end;
            }
end:
    a[0] = found;
}

void goto_out_of_the_inner_loop(void)
{
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < M; j++) {
            if (j > i)
                goto next;
            a[i] += aa[i][j];
        }
        b[i] = 1;
next:
        c[i] = a[i];
    }
}

void early_break(void)
{
    for (int i = 0; i < N; i++) {
        a[i] += b[i] * c[i];
        if (c[i] > d[i] + 40)
            break;
    }
}

void early_break_by_iterator(void)
{
    for (int i = 0; i < N; i++) {
        if (3 * i > N)
            break;
        a[i] += b[i];
    }
}

void stops(void)
{
    for (int i = 0; i < N; i++) {
        if (d[i] < -1000)
            exit(1);
        a[i] += b[i] * c[i];
    }
}

void skips(void)
{
    for (int i = 0; i < N; i++) {
        if (b[i] < 0)
            continue;
        a[i] = sqrtf(b[i]);
        if (i > 50)
            continue;
        c[i] = a[i] - 1;
    }
}

void gathered(void)
{
    for (int i = 0; i < N; i++)
        a[i] += b[ip[i]] * c[i];
}

void scattered(void)
{
    for (int i = 0; i < N; i++)
        a[ip[i]] = b[i] + c[i] * d[i];
}

void largest(void)
{
    real most = fabsf(a[0]);
    int place = 0;
    for (int i = 1; i < N; i++)
        if (fabsf(a[i]) > most) {
            most = fabsf(a[i]);
            place = i;
        }
    b[0] = most + place;
}

void three_ways(void)
{
    for (int i = 0; i < N; i++)
        if (d[i] < 0)
            a[i] += b[i] * c[i];
        else if (d[i] == 0)
            a[i] += b[i] * b[i];
        else
            a[i] += c[i] * c[i];
}

void both_ways(void)
{
    for (int i = 0; i < N; i++)
        if (a[i] > b[i]) {
            a[i] += b[i] * d[i];
            c[i] += d[i] * d[i];
        } else {
            b[i] = a[i] + e[i] * e[i];
            c[i] = a[i] + d[i] * d[i];
        }
}

void both_conditions(void)
{
    for (int i = 0; i < N; i++)
        if (b[i] > 0 && c[i] > 30)
            a[i] = b[i] + c[i];
}

static void update(real *x, const real *y, int offset)
{
    for (int i = 0; i < N - offset; i++)
        x[i] = x[i + offset] + y[i];
}

void called(void)
{
    update(a, b, 1);
    update(c, d, 7);
}

static real product(real x, real y)
{
    return x * y;
}

void called_for_values(void)
{
    for (int i = 0; i < N; i++)
        a[i] += product(b[i], c[i]);
}

void shifted_pointer(void)
{
    real *x = flat + 5;
    for (int i = 0; i < M * M - 6; i++)
        x[i + 1] = flat[i] + a[i % N];
}

void unrolled(void)
{
    real sum = 0;
    for (int i = 0; i < N; i += 5)
        sum += b[i] * c[i] + b[i + 1] * c[i + 1] + b[i + 2] * c[i + 2] + b[i + 3] * c[i + 3] + b[i + 4] * c[i + 4];
    a[0] = sum;
}

void tiled(void)
{
    for (int t = 0; t < N; t += 16)
        for (int i = t; i < (t + 16 < N ? t + 16 : N); i++)
            a[i] = -b[i];
}

void doubling(void)
{
    for (int i = 1; i < N; i *= 2)
        a[i] = b[i] * i;
}

void tested_last(void)
{
    int i = N - 1;
    do {
        a[i] = sinf(b[i]) + cosf(c[i]);
        i -= 2;
    } while (i > 0);
}

void walking_pointers(void)
{
    const real *x = b;
    for (real *y = a; y < a + N; y++, x++)
        *y = *x + 1;
}

void falls_through_unless_left(void)
{
    for (int i = 0; i < N; i++)
        switch (i % 3) {
        case 0:
            a[i] += 1;
            if (i > 30)
                break;
            b[i] *= 2;
        case 1:
            c[i] /= 3;
            if (i == 22)
                continue;
        case 2:
            d[i] -= 4;
        }
}

void jumps_out_of_a_falling_arm(void)
{
    for (int i = 0; i < N; i++) {
        switch (i % 4) {
        default:
            if (i < M)
                goto next;
            a[i] += 1;
        case 2:
            b[i] *= 2;
            break;
        case 0:
            c[i] -= 3;
        }
    next:
        d[i] += 4;
    }
}
