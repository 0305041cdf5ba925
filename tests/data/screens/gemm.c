#include <stdio.h>
#include <stdlib.h>
#ifndef NI
#define NI 1000
#define NJ 1100
#define NK 1200
#endif

static void fill(int ni, int nj, int nk, double C[ni][nj], double A[ni][nk], double B[nk][nj])
{
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nj; j++) C[i][j] = (double) ((i * j + 1) % ni) / ni;
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nk; j++) A[i][j] = (double) (i * (j + 1) % nk) / nk;
  for (int i = 0; i < nk; i++)
    for (int j = 0; j < nj; j++) B[i][j] = (double) (i * (j + 2) % nj) / nj;
}

void gemm(int ni, int nj, int nk, double alpha, double beta, double C[ni][nj], double A[ni][nk], double B[nk][nj])
{
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nj; j++) {
      C[i][j] *= beta;
      for (int k = 0; k < nk; k++)
        C[i][j] += alpha * A[i][k] * B[k][j];
    }
}

static void show(int ni, int nj, double C[ni][nj])
{
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nj; j++) printf("%0.2lf ", C[i][j]);
}

#ifdef MAIN
int main(void)
{
  double (*C)[NJ] = malloc(sizeof(double[NI][NJ]));
  double (*A)[NK] = malloc(sizeof(double[NI][NK]));
  double (*B)[NJ] = malloc(sizeof(double[NK][NJ]));
  fill(NI, NJ, NK, C, A, B);
  gemm(NI, NJ, NK, 1.5, 1.2, C, A, B);
  show(NI, NJ, C);
}
#endif
