// A plasmon-pole sum: for every element nw frequencies; the elements are read with a stride.
#include <cstdlib>
#define THREADS 128

template <int STRIDE>
__global__ void gpp(const double *__restrict__ a, const double *__restrict__ w, double *__restrict__ out, int nw) {
  int ig = (blockIdx.x * blockDim.x + threadIdx.x) * STRIDE;
  double x = a[ig], sum = 0.0;
  for (int iw = 0; iw < nw; iw++) sum += x * w[iw];
  out[ig] = sum;
}

int main(int argc, char **argv) {
  int nw = atoi(argv[1]);
  double *a, *w, *out;
  cudaMalloc(&a, sizeof(double) << 21);
  cudaMalloc(&out, sizeof(double) << 21);
  cudaMalloc(&w, nw * sizeof(double));
  gpp<1><<<8192, THREADS>>>(a, w, out, nw);
  gpp<2><<<8192, THREADS>>>(a, w, out, nw);
}
