#include <stdio.h>
#include <stdlib.h>
#define TAPS 16

int main(void) {
    const int n = 10000000;
    float h[TAPS];
    float *in = malloc((n + TAPS) * sizeof *in);
    float *out = malloc(n * sizeof *out);
    for (int k = 0; k < TAPS; k++)
        h[k] = 1.0f / TAPS;
    for (int i = 0; i < n + TAPS; i++)
        in[i] = (float)(i % 100);
    for (int i = 0; i < n; i++) {
        float acc = 0.0f;
        for (int k = 0; k < TAPS; k++)
            acc += h[k] * in[i + k];
        out[i] = acc;
    }
    printf("%f\n", out[n / 2]);
    free(in);
    free(out);
    return 0;
}
