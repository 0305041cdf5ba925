#include <stdint.h>
#include <stdio.h>

static uint32_t state = 42;

static double uniform(void) {
    state = state * 1664525u + 1013904223u;
    return state / 4294967296.0;
}

int main(void) {
    const long samples = 100000000;
    long inside = 0;
    for (long i = 0; i < samples; i++) {
        double x = uniform();
        double y = uniform();
        if (x * x + y * y <= 1.0)
            inside++;
    }
    double pi = 4.0 * inside / samples;
    printf("pi = %f\n", pi);
    return 0;
}
