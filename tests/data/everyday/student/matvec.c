#include <stdio.h>
#define N 4000
#define REPEATS 10

static double A[N][N], x[N], y[N];

int main(void) {
    for (int i = 0; i < N; i++) {
        x[i] = 1.0;
        for (int j = 0; j < N; j++)
            A[i][j] = i + j;
    }
    for (int r = 0; r < REPEATS; r++) {
        for (int i = 0; i < N; i++) {
            double sum = 0.0;
            for (int j = 0; j < N; j++)
                sum += A[i][j] * x[j];
            y[i] = sum;
        }
    }
    double check = 0.0;
    for (int i = 0; i < N; i++)
        check += y[i];
    printf("%f\n", check);
    return 0;
}
