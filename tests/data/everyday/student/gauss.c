#include <stdio.h>
#define N 600

static double a[N][N], b[N], x[N];

void eliminate(void) {
    for (int k = 0; k < N - 1; k++)
        for (int i = k + 1; i < N; i++) {
            double f = a[i][k] / a[k][k];
            for (int j = k + 1; j < N; j++)
                a[i][j] -= f * a[k][j];
            b[i] -= f * b[k];
        }
}

void substitute(void) {
    for (int i = N - 1; i >= 0; i--) {
        double s = b[i];
        for (int j = i + 1; j < N; j++)
            s -= a[i][j] * x[j];
        x[i] = s / a[i][i];
    }
}

int main(void) {
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            a[i][j] = (i == j) ? N : 1.0 / (i + j + 1);
        b[i] = 1.0;
    }
    eliminate();
    substitute();
    printf("%f\n", x[0]);
    return 0;
}
