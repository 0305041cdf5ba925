#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define Q 9
static const int cx[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static const int cy[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const double w[Q] = {4.0 / 9, 1.0 / 9, 1.0 / 9, 1.0 / 9, 1.0 / 9, 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36};

typedef struct {
    int nx, ny;
    double omega;
    double *f, *g;
} lattice;

static void collide(lattice *l)
{
    int cells = l->nx * l->ny;
    for (int p = 0; p < cells; p++) {
        double *f = l->f + (size_t)p * Q;
        double rho = 0, ux = 0, uy = 0;
        for (int q = 0; q < Q; q++) {
            rho += f[q];
            ux += cx[q] * f[q];
            uy += cy[q] * f[q];
        }
        ux /= rho;
        uy /= rho;
        double usq = 1.5 * (ux * ux + uy * uy);
        for (int q = 0; q < Q; q++) {
            double cu = 3.0 * (cx[q] * ux + cy[q] * uy);
            double feq = w[q] * rho * (1.0 + cu + 0.5 * cu * cu - usq);
            f[q] += l->omega * (feq - f[q]);
        }
    }
}

static void stream(lattice *l)
{
    for (int y = 0; y < l->ny; y++)
        for (int x = 0; x < l->nx; x++)
            for (int q = 0; q < Q; q++) {
                int xs = (x - cx[q] + l->nx) % l->nx;
                int ys = (y - cy[q] + l->ny) % l->ny;
                l->g[((size_t)y * l->nx + x) * Q + q] = l->f[((size_t)ys * l->nx + xs) * Q + q];
            }
    double *t = l->f;
    l->f = l->g;
    l->g = t;
}

int main(int argc, char **argv)
{
    lattice l;
    l.nx = argc > 1 ? atoi(argv[1]) : 1024;
    l.ny = argc > 2 ? atoi(argv[2]) : 1024;
    l.omega = 1.2;
    int steps = 50;
    size_t size = (size_t)l.nx * l.ny * Q * sizeof(double);
    l.f = malloc(size);
    l.g = malloc(size);
    for (int p = 0; p < l.nx * l.ny; p++)
        for (int q = 0; q < Q; q++)
            l.f[p * Q + q] = w[q];
    for (int s = 0; s < steps; s++) {
        collide(&l);
        stream(&l);
    }
    double mass = 0;
    for (size_t i = 0; i < (size_t)l.nx * l.ny * Q; i++)
        mass += l.f[i];
    printf("mass %f\n", mass);
    free(l.f);
    free(l.g);
    return 0;
}
