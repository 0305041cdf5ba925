#pragma once
#include <stddef.h>
/* The loops of the reference implementation for vectors, and for a matrix with vectors.  Of products of matrices, whose
   loops libraries reorder, what no order avoids: every multiplication, and each element moved once.  Complex numbers have
   no bodies. */
typedef enum CBLAS_LAYOUT { CblasRowMajor = 101, CblasColMajor = 102 } CBLAS_LAYOUT;
typedef enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans = 112, CblasConjTrans = 113 } CBLAS_TRANSPOSE;
typedef enum CBLAS_UPLO { CblasUpper = 121, CblasLower = 122 } CBLAS_UPLO;
typedef enum CBLAS_DIAG { CblasNonUnit = 131, CblasUnit = 132 } CBLAS_DIAG;
typedef enum CBLAS_SIDE { CblasLeft = 141, CblasRight = 142 } CBLAS_SIDE;
#define CBLAS_ORDER CBLAS_LAYOUT
#define CBLAS_INDEX size_t
#define CBLAS_INT int
#define blasint int
#define AI_BLAS static inline __attribute__((annotate("model")))
#define AI_FIRST(n, inc) ((inc) < 0 ? (1 - (n)) * (inc) : 0)
#define AI_ROWS_OF(order, transposed) (((order) == CblasRowMajor) == ((transposed) == CblasNoTrans))
/* Products that are added up in any order. */
AI_BLAS double ai_dproducts(int n, double x, double y, double s) {
#pragma omp simd reduction(+ : s)
  for (int p = 0; p < n; p++) s = __builtin_fma(x, y, s);
  return s;
}
AI_BLAS float ai_sproducts(int n, float x, float y, float s) {
#pragma omp simd reduction(+ : s)
  for (int p = 0; p < n; p++) s = __builtin_fmaf(x, y, s);
  return s;
}
#define AI_REAL(p, T, ROOT, MAGNITUDE) \
  AI_BLAS T cblas_##p##dot(int n, const T *x, int incx, const T *y, int incy) { \
    T s = 0; \
    for (int i = 0; i < n; i++) s += x[AI_FIRST(n, incx) + i * incx] * y[AI_FIRST(n, incy) + i * incy]; \
    return s; \
  } \
  AI_BLAS T cblas_##p##nrm2(int n, const T *x, int incx) { \
    T s = 0; \
    for (int i = 0; i < n; i++) s += x[i * incx] * x[i * incx]; \
    return ROOT(s); \
  } \
  AI_BLAS T cblas_##p##asum(int n, const T *x, int incx) { \
    T s = 0; \
    for (int i = 0; i < n; i++) s += MAGNITUDE(x[i * incx]); \
    return s; \
  } \
  AI_BLAS size_t cblas_i##p##amax(int n, const T *x, int incx) { \
    size_t found = 0; \
    T most = 0; \
    for (int i = 0; i < n; i++) { \
      T here = MAGNITUDE(x[i * incx]); \
      if (here > most) { \
        most = here; \
        found = i; \
      } \
    } \
    return found; \
  } \
  AI_BLAS void cblas_##p##axpy(int n, T alpha, const T *x, int incx, T *y, int incy) { \
    for (int i = 0; i < n; i++) y[AI_FIRST(n, incy) + i * incy] += alpha * x[AI_FIRST(n, incx) + i * incx]; \
  } \
  AI_BLAS void cblas_##p##scal(int n, T alpha, T *x, int incx) { \
    for (int i = 0; i < n; i++) x[i * incx] *= alpha; \
  } \
  AI_BLAS void cblas_##p##copy(int n, const T *x, int incx, T *y, int incy) { \
    for (int i = 0; i < n; i++) y[AI_FIRST(n, incy) + i * incy] = x[AI_FIRST(n, incx) + i * incx]; \
  } \
  AI_BLAS void cblas_##p##swap(int n, T *x, int incx, T *y, int incy) { \
    for (int i = 0; i < n; i++) { \
      T held = x[AI_FIRST(n, incx) + i * incx]; \
      x[AI_FIRST(n, incx) + i * incx] = y[AI_FIRST(n, incy) + i * incy]; \
      y[AI_FIRST(n, incy) + i * incy] = held; \
    } \
  } \
  AI_BLAS void cblas_##p##rot(int n, T *x, int incx, T *y, int incy, T c, T s) { \
    for (int i = 0; i < n; i++) { \
      T a = x[AI_FIRST(n, incx) + i * incx], b = y[AI_FIRST(n, incy) + i * incy]; \
      x[AI_FIRST(n, incx) + i * incx] = c * a + s * b; \
      y[AI_FIRST(n, incy) + i * incy] = c * b - s * a; \
    } \
  } \
  /* y = beta y, which is not read where beta is 0 */ \
  AI_BLAS void ai_##p##start(int n, T beta, T *y, int incy) { \
    if (beta == 0) for (int i = 0; i < n; i++) y[i * incy] = 0; \
    else if (beta != 1) for (int i = 0; i < n; i++) y[i * incy] *= beta; \
  } \
  AI_BLAS void cblas_##p##gemv(CBLAS_LAYOUT order, CBLAS_TRANSPOSE transposed, int m, int n, T alpha, const T *a, int lda, \
                               const T *x, int incx, T beta, T *y, int incy) { \
    const int rows = order == CblasRowMajor ? m : n, columns = order == CblasRowMajor ? n : m; \
    if (AI_ROWS_OF(order, transposed)) \
      for (int i = 0; i < rows; i++) { \
        T s = 0; \
        for (int j = 0; j < columns; j++) s += a[i * lda + j] * x[j * incx]; \
        if (beta == 0) y[i * incy] = alpha * s; \
        else if (beta == 1) y[i * incy] += alpha * s; \
        else y[i * incy] = alpha * s + beta * y[i * incy]; \
      } \
    else { \
      ai_##p##start(columns, beta, y, incy); \
      for (int i = 0; i < rows; i++) { \
        const T t = alpha * x[i * incx]; \
        for (int j = 0; j < columns; j++) y[j * incy] += t * a[i * lda + j]; \
      } \
    } \
  } \
  AI_BLAS void cblas_##p##ger(CBLAS_LAYOUT order, int m, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a, int lda) { \
    if (order == CblasRowMajor) \
      for (int i = 0; i < m; i++) { \
        const T t = alpha * x[i * incx]; \
        for (int j = 0; j < n; j++) a[i * lda + j] += t * y[j * incy]; \
      } \
    else \
      for (int j = 0; j < n; j++) { \
        const T t = alpha * y[j * incy]; \
        for (int i = 0; i < m; i++) a[j * lda + i] += t * x[i * incx]; \
      } \
  } \
  AI_BLAS void cblas_##p##symv(CBLAS_LAYOUT order, CBLAS_UPLO part, int n, T alpha, const T *a, int lda, const T *x, int incx, \
                               T beta, T *y, int incy) { \
    ai_##p##start(n, beta, y, incy); \
    const int upper = (order == CblasRowMajor) == (part == CblasUpper); \
    for (int i = 0; i < n; i++) { \
      const T t = alpha * x[i * incx]; \
      T s = 0; \
      if (upper) \
        for (int j = i + 1; j < n; j++) { \
          y[j * incy] += t * a[i * lda + j]; \
          s += a[i * lda + j] * x[j * incx]; \
        } \
      else \
        for (int j = 0; j < i; j++) { \
          y[j * incy] += t * a[i * lda + j]; \
          s += a[i * lda + j] * x[j * incx]; \
        } \
      y[i * incy] += t * a[i * lda + i] + alpha * s; \
    } \
  } \
  AI_BLAS void cblas_##p##syr(CBLAS_LAYOUT order, CBLAS_UPLO part, int n, T alpha, const T *x, int incx, T *a, int lda) { \
    const int upper = (order == CblasRowMajor) == (part == CblasUpper); \
    for (int i = 0; i < n; i++) { \
      const T t = alpha * x[i * incx]; \
      if (upper) for (int j = i; j < n; j++) a[i * lda + j] += t * x[j * incx]; \
      else for (int j = 0; j <= i; j++) a[i * lda + j] += t * x[j * incx]; \
    } \
  } \
  AI_BLAS void cblas_##p##trsv(CBLAS_LAYOUT order, CBLAS_UPLO part, CBLAS_TRANSPOSE transposed, CBLAS_DIAG diagonal, int n, \
                               const T *a, int lda, T *x, int incx) { \
    const int by_rows = AI_ROWS_OF(order, transposed), upper = (part == CblasUpper) == (transposed == CblasNoTrans); \
    for (int k = 0; k < n; k++) { \
      const int i = upper ? n - 1 - k : k; \
      if (by_rows) { \
        T s = x[i * incx]; \
        if (upper) for (int j = i + 1; j < n; j++) s -= a[i * lda + j] * x[j * incx]; \
        else for (int j = 0; j < i; j++) s -= a[i * lda + j] * x[j * incx]; \
        x[i * incx] = diagonal == CblasNonUnit ? s / a[i * lda + i] : s; \
      } else { \
        if (diagonal == CblasNonUnit) x[i * incx] /= a[i * lda + i]; \
        const T t = x[i * incx]; \
        if (upper) for (int j = 0; j < i; j++) x[j * incx] -= t * a[i * lda + j]; \
        else for (int j = i + 1; j < n; j++) x[j * incx] -= t * a[i * lda + j]; \
      } \
    } \
  } \
  /* Every element that is stored, or of a triangle, once; and the products that no order of the loops avoids. */ \
  AI_BLAS T ai_##p##read(int rows, int columns, const T *a, int lda) { \
    T x = 0; \
    for (int i = 0; i < rows; i++) for (int j = 0; j < columns; j++) x = a[i * lda + j]; \
    return x; \
  } \
  AI_BLAS T ai_##p##read_half(int n, const T *a, int lda, int upper) { \
    T x = 0; \
    for (int i = 0; i < n; i++) \
      if (upper) for (int j = i; j < n; j++) x = a[i * lda + j]; \
      else for (int j = 0; j <= i; j++) x = a[i * lda + j]; \
    return x; \
  } \
  void __rest_of_cblas_##p##gemm(const T *), __rest_of_cblas_##p##symm(const T *); \
  void __rest_of_cblas_##p##syrk(const T *), __rest_of_cblas_##p##syr2k(const T *); \
  void __rest_of_cblas_##p##trsm(const T *), __rest_of_cblas_##p##trmm(const T *); \
  AI_BLAS void cblas_##p##gemm(CBLAS_LAYOUT order, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, T alpha, \
                               const T *a, int lda, const T *b, int ldb, T beta, T *c, int ldc) { \
    const int a_is_plain = AI_ROWS_OF(order, ta), b_is_plain = AI_ROWS_OF(order, tb); \
    const int rows = order == CblasRowMajor ? m : n, columns = order == CblasRowMajor ? n : m; \
    for (int i = 0; i < rows; i++) { \
      T x = 0, y = 0; \
      __rest_of_cblas_##p##gemm(c); \
      if (i == 0) { \
        x = ai_##p##read(a_is_plain ? m : k, a_is_plain ? k : m, a, lda); \
        y = ai_##p##read(b_is_plain ? k : n, b_is_plain ? n : k, b, ldb); \
      } \
      for (int j = 0; j < columns; j++) c[i * ldc + j] = ai_##p##products(k, x, y, beta == 0 ? 0 : c[i * ldc + j]); \
    } \
  } \
  AI_BLAS void cblas_##p##symm(CBLAS_LAYOUT order, CBLAS_SIDE side, CBLAS_UPLO part, int m, int n, T alpha, const T *a, \
                               int lda, const T *b, int ldb, T beta, T *c, int ldc) { \
    const int upper = (order == CblasRowMajor) == (part == CblasUpper), size = side == CblasLeft ? m : n; \
    const int rows = order == CblasRowMajor ? m : n, columns = order == CblasRowMajor ? n : m; \
    for (int i = 0; i < rows; i++) { \
      T x = 0, y = 0; \
      __rest_of_cblas_##p##symm(c); \
      if (i == 0) { \
        x = ai_##p##read_half(size, a, lda, upper); \
        y = ai_##p##read(rows, columns, b, ldb); \
      } \
      for (int j = 0; j < columns; j++) c[i * ldc + j] = ai_##p##products(size, x, y, beta == 0 ? 0 : c[i * ldc + j]); \
    } \
  } \
  AI_BLAS void ai_##p##syrk(CBLAS_LAYOUT order, CBLAS_UPLO part, CBLAS_TRANSPOSE ta, int n, int k, const T *a, int lda, \
                            const T *b, int ldb, T beta, T *c, int ldc, int both) { \
    const int upper = (order == CblasRowMajor) == (part == CblasUpper), is_plain = AI_ROWS_OF(order, ta); \
    const int depth = both ? 2 * k : k; \
    for (int i = 0; i < n; i++) { \
      T x = 0, y = 0; \
      if (both) __rest_of_cblas_##p##syr2k(c); \
      else __rest_of_cblas_##p##syrk(c); \
      if (i == 0) { \
        x = ai_##p##read(is_plain ? n : k, is_plain ? k : n, a, lda); \
        y = both ? ai_##p##read(is_plain ? n : k, is_plain ? k : n, b, ldb) : x; \
      } \
      if (upper) \
        for (int j = i; j < n; j++) c[i * ldc + j] = ai_##p##products(depth, x, y, beta == 0 ? 0 : c[i * ldc + j]); \
      else \
        for (int j = 0; j <= i; j++) c[i * ldc + j] = ai_##p##products(depth, x, y, beta == 0 ? 0 : c[i * ldc + j]); \
    } \
  } \
  AI_BLAS void cblas_##p##syrk(CBLAS_LAYOUT order, CBLAS_UPLO part, CBLAS_TRANSPOSE ta, int n, int k, T alpha, const T *a, \
                               int lda, T beta, T *c, int ldc) { \
    ai_##p##syrk(order, part, ta, n, k, a, lda, a, lda, beta, c, ldc, 0); \
  } \
  AI_BLAS void cblas_##p##syr2k(CBLAS_LAYOUT order, CBLAS_UPLO part, CBLAS_TRANSPOSE ta, int n, int k, T alpha, const T *a, \
                                int lda, const T *b, int ldb, T beta, T *c, int ldc) { \
    ai_##p##syrk(order, part, ta, n, k, a, lda, b, ldb, beta, c, ldc, 1); \
  } \
  AI_BLAS void ai_##p##triangle(CBLAS_LAYOUT order, CBLAS_SIDE side, CBLAS_UPLO part, int m, int n, const T *a, int lda, \
                                T *b, int ldb, int solves) { \
    const int upper = (order == CblasRowMajor) == (part == CblasUpper), size = side == CblasLeft ? m : n; \
    const int rows = order == CblasRowMajor ? m : n, columns = order == CblasRowMajor ? n : m; \
    T x = ai_##p##read_half(size, a, lda, upper); \
    const int by_rows = (order == CblasRowMajor) == (side == CblasLeft); \
    for (int i = 0; i < rows; i++) { \
      if (solves) __rest_of_cblas_##p##trsm(b); \
      else __rest_of_cblas_##p##trmm(b); \
      for (int j = 0; j < columns; j++) b[i * ldb + j] = ai_##p##products(by_rows ? i : j, x, x, b[i * ldb + j]); \
    } \
  } \
  AI_BLAS void cblas_##p##trmm(CBLAS_LAYOUT order, CBLAS_SIDE side, CBLAS_UPLO part, CBLAS_TRANSPOSE ta, CBLAS_DIAG diagonal, \
                               int m, int n, T alpha, const T *a, int lda, T *b, int ldb) { \
    ai_##p##triangle(order, side, part, m, n, a, lda, b, ldb, 0); \
  } \
  AI_BLAS void cblas_##p##trsm(CBLAS_LAYOUT order, CBLAS_SIDE side, CBLAS_UPLO part, CBLAS_TRANSPOSE ta, CBLAS_DIAG diagonal, \
                               int m, int n, T alpha, const T *a, int lda, T *b, int ldb) { \
    ai_##p##triangle(order, side, part, m, n, a, lda, b, ldb, 1); \
  } \
  void cblas_##p##trmv(CBLAS_LAYOUT, CBLAS_UPLO, CBLAS_TRANSPOSE, CBLAS_DIAG, int, const T *, int, T *, int); \
  void cblas_##p##syr2(CBLAS_LAYOUT, CBLAS_UPLO, int, T, const T *, int, const T *, int, T *, int); \
  void cblas_##p##gbmv(CBLAS_LAYOUT, CBLAS_TRANSPOSE, int, int, int, int, T, const T *, int, const T *, int, T, T *, int); \
  void cblas_##p##sbmv(CBLAS_LAYOUT, CBLAS_UPLO, int, int, T, const T *, int, const T *, int, T, T *, int); \
  void cblas_##p##rotg(T *, T *, T *, T *);
AI_REAL(d, double, __builtin_sqrt, __builtin_fabs)
AI_REAL(s, float, __builtin_sqrtf, __builtin_fabsf)
#define AI_COMPLEX(p) \
  void cblas_##p##axpy(int, const void *, const void *, int, void *, int); \
  void cblas_##p##scal(int, const void *, void *, int); \
  void cblas_##p##copy(int, const void *, int, void *, int); \
  void cblas_##p##dotu_sub(int, const void *, int, const void *, int, void *); \
  void cblas_##p##dotc_sub(int, const void *, int, const void *, int, void *); \
  void cblas_##p##gemv(CBLAS_LAYOUT, CBLAS_TRANSPOSE, int, int, const void *, const void *, int, const void *, int, const void *, void *, int); \
  void cblas_##p##gemm(CBLAS_LAYOUT, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, int, int, int, const void *, const void *, int, const void *, int, const void *, void *, int);
AI_COMPLEX(c) AI_COMPLEX(z)
#undef AI_REAL
#undef AI_COMPLEX
