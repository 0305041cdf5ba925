// Gauss-Seidel red-black smoother: points of one colour by a branch, by a factor of 0 or 1, and by every second point.
#define N 64
#define AT(i, j, k) (((k) * (N + 2) + (j)) * (N + 2) + (i))
#define SMOOTH(c, i, j, k) \
  (phi[AT(i, j, k)] + \
   (c) * (rhs[AT(i, j, k)] - 6.0 * phi[AT(i, j, k)] + phi[AT((i) - 1, j, k)] + phi[AT((i) + 1, j, k)] + \
          phi[AT(i, (j) - 1, k)] + phi[AT(i, (j) + 1, k)] + phi[AT(i, j, (k) - 1)] + phi[AT(i, j, (k) + 1)]))

__global__ void branch(double *__restrict__ out, const double *__restrict__ phi, const double *__restrict__ rhs,
                       int color) {
  int i = 1 + blockIdx.x * blockDim.x + threadIdx.x, j = 1 + blockIdx.y * blockDim.y + threadIdx.y;
  int k = 1 + blockIdx.z;
  if ((i ^ j ^ k ^ color) & 1) out[AT(i, j, k)] = SMOOTH(0.1, i, j, k);
}

__global__ void factor(double *__restrict__ out, const double *__restrict__ phi, const double *__restrict__ rhs,
                       const double *__restrict__ mask) {
  int i = 1 + blockIdx.x * blockDim.x + threadIdx.x, j = 1 + blockIdx.y * blockDim.y + threadIdx.y;
  int k = 1 + blockIdx.z;
  out[AT(i, j, k)] = SMOOTH(mask[AT(i, j, 0)], i, j, k);
}

__global__ void stride2(double *__restrict__ out, const double *__restrict__ phi, const double *__restrict__ rhs,
                        int color) {
  int j = 1 + blockIdx.y * blockDim.y + threadIdx.y, k = 1 + blockIdx.z;
  int first = 1 + 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if ((j + k + color) % 2 == 0) {
    out[AT(first, j, k)] = SMOOTH(0.1, first, j, k);
    out[AT(first + 1, j, k)] = phi[AT(first + 1, j, k)];
  } else {
    out[AT(first + 1, j, k)] = SMOOTH(0.1, first + 1, j, k);
    out[AT(first, j, k)] = phi[AT(first, j, k)];
  }
}

void run(double *out, const double *phi, const double *rhs, const double *mask) {
  dim3 block(32, 4), grid(N / 32, N / 4, N), half(1, N / 4, N);
  branch<<<grid, block>>>(out, phi, rhs, 0);
  factor<<<grid, block>>>(out, phi, rhs, mask);
  stride2<<<half, block>>>(out, phi, rhs, 0);
}
