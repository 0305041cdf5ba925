// c += 2.0*a + 1.5*b + 0.8, with neighbouring threads on neighbouring elements, and blockDim.x elements apart.
#define N 1048576

__global__ void update(double *c_d, const double *a_d, const double *b_d) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < N) c_d[id] += 2.0 * a_d[id] + 1.5 * b_d[id] + 0.8;
}

__global__ void update_apart(double *c_d, const double *a_d, const double *b_d) {
  int id = threadIdx.x * blockDim.x + blockIdx.x;
  if (id < N) c_d[id] += 2.0 * a_d[id] + 1.5 * b_d[id] + 0.8;
}

void run(double *c, const double *a, const double *b) {
  update<<<N / 1024, 1024>>>(c, a, b);
  update_apart<<<N / 1024, 1024>>>(c, a, b);
}
