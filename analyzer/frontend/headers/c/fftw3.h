#pragma once
#include <stddef.h>
#define FFTW_FORWARD (-1)
#define FFTW_BACKWARD (+1)
#define FFTW_MEASURE 0U
#define FFTW_DESTROY_INPUT 1U
#define FFTW_UNALIGNED 2U
#define FFTW_EXHAUSTIVE 8U
#define FFTW_PRESERVE_INPUT 16U
#define FFTW_PATIENT 32U
#define FFTW_ESTIMATE 64U
#define FFTW_WISDOM_ONLY (1U << 21)
typedef enum { FFTW_R2HC = 0, FFTW_HC2R, FFTW_DHT, FFTW_REDFT00, FFTW_REDFT01, FFTW_REDFT10, FFTW_REDFT11, FFTW_RODFT00,
               FFTW_RODFT01, FFTW_RODFT10, FFTW_RODFT11 } fftw_r2r_kind;
/* Plans are made without work that counts; what executing one computes is not known. */
#define AI_FFTW(p, R) \
  typedef R p##complex[2]; \
  typedef struct p##plan_s *p##plan; \
  p##plan p##plan_dft_1d(int, p##complex *, p##complex *, int, unsigned); \
  p##plan p##plan_dft_2d(int, int, p##complex *, p##complex *, int, unsigned); \
  p##plan p##plan_dft_3d(int, int, int, p##complex *, p##complex *, int, unsigned); \
  p##plan p##plan_dft(int, const int *, p##complex *, p##complex *, int, unsigned); \
  p##plan p##plan_dft_r2c_1d(int, R *, p##complex *, unsigned); \
  p##plan p##plan_dft_r2c_2d(int, int, R *, p##complex *, unsigned); \
  p##plan p##plan_dft_r2c_3d(int, int, int, R *, p##complex *, unsigned); \
  p##plan p##plan_dft_c2r_1d(int, p##complex *, R *, unsigned); \
  p##plan p##plan_dft_c2r_2d(int, int, p##complex *, R *, unsigned); \
  p##plan p##plan_dft_c2r_3d(int, int, int, p##complex *, R *, unsigned); \
  p##plan p##plan_r2r_1d(int, R *, R *, fftw_r2r_kind, unsigned); \
  p##plan p##plan_r2r_2d(int, int, R *, R *, fftw_r2r_kind, fftw_r2r_kind, unsigned); \
  p##plan p##plan_many_dft(int, const int *, int, p##complex *, const int *, int, int, p##complex *, const int *, int, int, int, unsigned); \
  void p##execute(const p##plan); \
  void p##execute_dft(const p##plan, p##complex *, p##complex *); \
  void p##execute_dft_r2c(const p##plan, R *, p##complex *); \
  void p##execute_dft_c2r(const p##plan, p##complex *, R *); \
  void p##destroy_plan(p##plan); \
  void p##cleanup(void); \
  void *p##malloc(size_t); \
  R *p##alloc_real(size_t); \
  p##complex *p##alloc_complex(size_t); \
  void p##free(void *); \
  int p##init_threads(void); \
  void p##plan_with_nthreads(int); \
  void p##cleanup_threads(void);
AI_FFTW(fftw_, double)
AI_FFTW(fftwf_, float)
#undef AI_FFTW
