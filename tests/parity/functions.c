// inlined function
static double sq(double v) { return v * v; }
void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = sq(a[i]); }

// inlined loop
void z(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 0; }
void f(int n, double *a) { z(n, a); z(n, a + n); }

// early return
static double c(double v) { if (v < 0) return 0; return v; }
void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = c(a[i]); }

// recursion
int r(int k) { return k ? r(k - 1) : 0; }
void f(int n, int *a) { for (int i = 0; i < n; i++) a[i] = r(i); }

// globals
#define N 64
double g[N][N], h[N];
void f(void) { for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) h[i] += g[i][j]; }

// constants
static const double w[3] = {0.25, 0.5, 0.25};
void f(int n, double *a, double *b) {
  for (int i = 1; i < n - 1; i++) a[i] = w[0] * b[i - 1] + w[1] * b[i] + w[2] * b[i + 1];
}

// constant size
static const int N = 32;
double g[32];
void f(void) { for (int i = 0; i < N; i++) g[i] = 0; }

// restrict
void f(int n, double *restrict a, const double *restrict b) { for (int i = 0; i < n; i++) a[i] = b[i]; }

// pointer to rows
void f(int n, double (*A)[100]) { for (int i = 0; i < n; i++) A[i][3] = 0; }

// pointer to pointers
void f(int n, double **A) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) A[i][j] = 0; }

// macro loop
#define FOR(i, n) for (int i = 0; i < (n); i++)
void f(int n, double *a) { FOR(i, n) FOR(j, i) a[j] += a[i]; }

// macro maximum
#define MAX(a, b) ((a) > (b) ? (a) : (b))
void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = MAX(a[i], 0.0); }

// mathematics
double sqrt(double), exp(double), pow(double, double);
float sqrtf(float);
void f(int n, double *a, float *x) {
  for (int i = 0; i < n; i++) { a[i] = sqrt(a[i]) + exp(a[i]) * pow(a[i], 2.0); x[i] = sqrtf(x[i]); }
}

// minimum
double fmin(double, double), fabs(double);
void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = fmin(fabs(a[i]), 1.0); }

// fused
double fma(double, double, double);
void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = fma(a[i], a[i], 1.0); }

// complex
double creal(double _Complex);
void f(int n, double *a) {
  double _Complex z = 1;
  for (int i = 0; i < n; i++) z = z * z + a[i];
  a[0] = creal(z);
}

// unknown function
double g(double);
void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = g(a[i]); }

// allocation
void *malloc(unsigned long);
void free(void *);
void f(int n) {
  double *v = (double *)malloc(n * sizeof(double));
  for (int i = 0; i < n; i++) v[i] = 0;
  free(v);
}

// struct parameter
struct point { double x, y, z; int id; };
void f(int n, struct point *q) { for (int i = 0; i < n; i++) q[i].x = q[i].y * q[i].z; }

// array of structs
struct point { double x, y, z; int id; };
struct point g[100];
void f(void) { for (int i = 0; i < 100; i++) g[i].x += g[i].y; }

// anonymous union
struct mixed { int tag; union { double d; long l; }; };
void f(int n, struct mixed *q) { for (int i = 0; i < n; i++) if (q[i].tag) q[i].d = 0; }

// typedef of an array
typedef double row[20];
void f(int n, row *A) { for (int i = 0; i < n; i++) for (int j = 0; j < 20; j++) A[i][j] = 0; }

// result
double f(int n, double *a) { double s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }

// two functions
void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 0; }
void g(int n, float *a) { for (int i = 0; i < n; i++) a[i] = 0; }

// a loop that never repeats
#define SWAP(a, b) do { double t = (a); (a) = (b); (b) = t; } while (0)
void f(int n, double *x, double *y) {
  for (int i = 0; i < n; i++) {
    SWAP(x[i], y[i]);
    do { if (i == 3) continue; x[i] *= 2; } while (0);
  }
}

// functions called like those of the library
double norm(const double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i] * x[i]; return s; }
void dummy(double *x) { x[0] += 1; }
void f(int m, int n, const double *x, double *y) {
  for (int j = 0; j < m; j++) { y[j] = norm(x + j * n, n); dummy(y); }
}
