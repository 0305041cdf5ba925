#pragma once
template <class T> struct ai_identity { using type = T; };
template <class T> using ai_same = typename ai_identity<T>::type;
#define AI_EXTREME(A, B) __typeof__((A)0 + (B)0) min(A, B); __typeof__((A)0 + (B)0) max(A, B);
#define AI_EXTREMES(A) \
  AI_EXTREME(A, int) AI_EXTREME(A, unsigned) AI_EXTREME(A, long) AI_EXTREME(A, unsigned long) \
  AI_EXTREME(A, long long) AI_EXTREME(A, unsigned long long) AI_EXTREME(A, float) AI_EXTREME(A, double)
AI_EXTREMES(int)
AI_EXTREMES(unsigned)
AI_EXTREMES(long)
AI_EXTREMES(unsigned long)
AI_EXTREMES(long long)
AI_EXTREMES(unsigned long long)
AI_EXTREMES(float)
AI_EXTREMES(double)
#undef AI_EXTREME
#undef AI_EXTREMES
#define AI_ATOMIC(name) \
  template <class T> T name(T *, ai_same<T>); \
  template <class T> T name(volatile T *, ai_same<T>);
#define AI_ATOMICS(name) AI_ATOMIC(name) AI_ATOMIC(name##_system) AI_ATOMIC(name##_block)
AI_ATOMICS(atomicAdd) AI_ATOMICS(atomicSub) AI_ATOMICS(atomicExch) AI_ATOMICS(atomicMin) AI_ATOMICS(atomicMax)
AI_ATOMICS(atomicAnd) AI_ATOMICS(atomicOr) AI_ATOMICS(atomicXor) AI_ATOMICS(atomicInc) AI_ATOMICS(atomicDec)
AI_ATOMIC(unsafeAtomicAdd)
#undef AI_ATOMIC
#undef AI_ATOMICS
template <class T> T atomicCAS(T *, ai_same<T>, ai_same<T>);
template <class T> T atomicCAS_system(T *, ai_same<T>, ai_same<T>);
template <class T> T atomicCAS_block(T *, ai_same<T>, ai_same<T>);
void sincospi(double,double*,double*); void sincospif(float,float*,float*); long long clock64();
float norm3df(float,float,float);
double norm3d(double,double,double);
float rnorm3df(float,float,float);
float norm4df(float,float,float,float);
double rnorm3d(double,double,double);
float saturate(float);

double rsqrt(double); float rsqrtf(float);
float rsqrt(float);
double rcbrt(double); float rcbrtf(float);
float rcbrt(float);
double erfinv(double); float erfinvf(float);
float erfinv(float);
double erfcinv(double); float erfcinvf(float);
float erfcinv(float);
double erfcx(double); float erfcxf(float);
float erfcx(float);
double sinpi(double); float sinpif(float);
float sinpi(float);
double cospi(double); float cospif(float);
float cospi(float);
double normcdf(double); float normcdff(float);
float normcdf(float);
double normcdfinv(double); float normcdfinvf(float);
float normcdfinv(float);
double cyl_bessel_i0(double); float cyl_bessel_i0f(float);
float cyl_bessel_i0(float);
double cyl_bessel_i1(double); float cyl_bessel_i1f(float);
float cyl_bessel_i1(float);
double rhypot(double,double); float rhypotf(float,float);
unsigned umin(unsigned,unsigned); long long llmin(long long,long long); unsigned long long ullmin(unsigned long long,unsigned long long);
unsigned umax(unsigned,unsigned); long long llmax(long long,long long); unsigned long long ullmax(unsigned long long,unsigned long long);
float __fdividef(float,float); float fdividef(float,float); float __saturatef(float); float __frsqrt_rn(float);
float __fadd_rn(float,float);
float __fsub_rn(float,float);
float __fmul_rn(float,float);
float __fdiv_rn(float,float);
float __fmaf_rn(float,float,float);
float __frcp_rn(float);
float __fsqrt_rn(float);
double __dadd_rn(double,double);
double __dsub_rn(double,double);
double __dmul_rn(double,double);
double __ddiv_rn(double,double);
double __fma_rn(double,double,double);
double __drcp_rn(double);
double __dsqrt_rn(double);
int __float2int_rn(float); float __int2float_rn(int);
unsigned __float2uint_rn(float); float __uint2float_rn(unsigned);
long long __float2ll_rn(float); float __ll2float_rn(long long);
unsigned long long __float2ull_rn(float); float __ull2float_rn(unsigned long long);
int __double2int_rn(double); double __int2double_rn(int);
unsigned __double2uint_rn(double); double __uint2double_rn(unsigned);
long long __double2ll_rn(double); double __ll2double_rn(long long);
unsigned long long __double2ull_rn(double); double __ull2double_rn(unsigned long long);
float __double2float_rn(double);
float __fadd_rz(float,float);
float __fsub_rz(float,float);
float __fmul_rz(float,float);
float __fdiv_rz(float,float);
float __fmaf_rz(float,float,float);
float __frcp_rz(float);
float __fsqrt_rz(float);
double __dadd_rz(double,double);
double __dsub_rz(double,double);
double __dmul_rz(double,double);
double __ddiv_rz(double,double);
double __fma_rz(double,double,double);
double __drcp_rz(double);
double __dsqrt_rz(double);
int __float2int_rz(float); float __int2float_rz(int);
unsigned __float2uint_rz(float); float __uint2float_rz(unsigned);
long long __float2ll_rz(float); float __ll2float_rz(long long);
unsigned long long __float2ull_rz(float); float __ull2float_rz(unsigned long long);
int __double2int_rz(double); double __int2double_rz(int);
unsigned __double2uint_rz(double); double __uint2double_rz(unsigned);
long long __double2ll_rz(double); double __ll2double_rz(long long);
unsigned long long __double2ull_rz(double); double __ull2double_rz(unsigned long long);
float __double2float_rz(double);
float __fadd_ru(float,float);
float __fsub_ru(float,float);
float __fmul_ru(float,float);
float __fdiv_ru(float,float);
float __fmaf_ru(float,float,float);
float __frcp_ru(float);
float __fsqrt_ru(float);
double __dadd_ru(double,double);
double __dsub_ru(double,double);
double __dmul_ru(double,double);
double __ddiv_ru(double,double);
double __fma_ru(double,double,double);
double __drcp_ru(double);
double __dsqrt_ru(double);
int __float2int_ru(float); float __int2float_ru(int);
unsigned __float2uint_ru(float); float __uint2float_ru(unsigned);
long long __float2ll_ru(float); float __ll2float_ru(long long);
unsigned long long __float2ull_ru(float); float __ull2float_ru(unsigned long long);
int __double2int_ru(double); double __int2double_ru(int);
unsigned __double2uint_ru(double); double __uint2double_ru(unsigned);
long long __double2ll_ru(double); double __ll2double_ru(long long);
unsigned long long __double2ull_ru(double); double __ull2double_ru(unsigned long long);
float __double2float_ru(double);
float __fadd_rd(float,float);
float __fsub_rd(float,float);
float __fmul_rd(float,float);
float __fdiv_rd(float,float);
float __fmaf_rd(float,float,float);
float __frcp_rd(float);
float __fsqrt_rd(float);
double __dadd_rd(double,double);
double __dsub_rd(double,double);
double __dmul_rd(double,double);
double __ddiv_rd(double,double);
double __fma_rd(double,double,double);
double __drcp_rd(double);
double __dsqrt_rd(double);
int __float2int_rd(float); float __int2float_rd(int);
unsigned __float2uint_rd(float); float __uint2float_rd(unsigned);
long long __float2ll_rd(float); float __ll2float_rd(long long);
unsigned long long __float2ull_rd(float); float __ull2float_rd(unsigned long long);
int __double2int_rd(double); double __int2double_rd(int);
unsigned __double2uint_rd(double); double __uint2double_rd(unsigned);
long long __double2ll_rd(double); double __ll2double_rd(long long);
unsigned long long __double2ull_rd(double); double __ull2double_rd(unsigned long long);
float __double2float_rd(double);
int __float_as_int(float);
unsigned __float_as_uint(float);
float __int_as_float(int);
float __uint_as_float(unsigned);
long long __double_as_longlong(double);
double __longlong_as_double(long long);
int __double2hiint(double);
int __double2loint(double);
double __hiloint2double(int,int);
int __popc(unsigned);
int __popcll(unsigned long long);
int __clz(int);
int __clzll(long long);
int __ffs(int);
int __ffsll(long long);
unsigned __brev(unsigned);
unsigned long long __brevll(unsigned long long);
unsigned __byte_perm(unsigned,unsigned,unsigned);
int __mul24(int,int);
unsigned __umul24(unsigned,unsigned);
int __mulhi(int,int);
unsigned __umulhi(unsigned,unsigned);
unsigned long long __umul64hi(unsigned long long,unsigned long long);
long long __mul64hi(long long,long long);
unsigned __sad(int,int,unsigned);
unsigned __usad(unsigned,unsigned,unsigned);
int __hadd(int,int);
int __rhadd(int,int);
unsigned __uhadd(unsigned,unsigned);
unsigned __funnelshift_l(unsigned,unsigned,unsigned);
unsigned __funnelshift_r(unsigned,unsigned,unsigned);
unsigned __funnelshift_lc(unsigned,unsigned,unsigned);
unsigned __funnelshift_rc(unsigned,unsigned,unsigned);
int mul24(int,int);
int mulhi(int,int);
int __dp4a(int,int,int);
unsigned __dp4a(unsigned,unsigned,unsigned);
int __syncthreads_count(int);
int __syncthreads_and(int);
int __syncthreads_or(int);
void __syncwarp(unsigned m=0xffffffff);
void __threadfence();
void __threadfence_block();
void __threadfence_system();
unsigned __activemask();
int __any_sync(unsigned,int);
int __all_sync(unsigned,int);
unsigned __ballot_sync(unsigned,int);
int __any(int);
int __all(int);
unsigned __ballot(int);
void __nanosleep(unsigned);
void __trap();
void __brkpt();
void __prof_trigger(int);
unsigned __lanemask_lt();
int __isShared(const void*);
template<class T> unsigned __match_any_sync(unsigned,T); template<class T> unsigned __match_all_sync(unsigned,T,int*);
template<class T> T __shfl_sync(unsigned,T,int,int w=32);
template<class T> T __shfl_xor_sync(unsigned,T,int,int w=32);
template<class T> T __shfl_up_sync(unsigned,T,unsigned,int w=32);
template<class T> T __shfl_down_sync(unsigned,T,unsigned,int w=32);
template<class T> T __shfl(T,int,int w=32);
template<class T> T __shfl_xor(T,int,int w=32);
template<class T> T __shfl_up(T,unsigned,int w=32);
template<class T> T __shfl_down(T,unsigned,int w=32);
template<class T> T __reduce_add_sync(unsigned,T);
template<class T> T __reduce_max_sync(unsigned,T);
template<class T> T __reduce_min_sync(unsigned,T);
template<class T> T __reduce_or_sync(unsigned,T);
template<class T> T __reduce_and_sync(unsigned,T);
template<class T> T __reduce_xor_sync(unsigned,T);
template<class T> T __ldg(const T*);
template<class T> T __ldcs(const T*);
template<class T> T __ldcg(const T*);
template<class T> T __ldca(const T*);
template<class T> T __ldcv(const T*);
template<class T> void __stcs(T*,ai_same<T>);
template<class T> void __stcg(T*,ai_same<T>);
template<class T> void __stwt(T*,ai_same<T>);
template<class T> void __stwb(T*,ai_same<T>);
#define AI_LANES(name) template <class... A> unsigned name(A...);
AI_LANES(__vadd2) AI_LANES(__vadd4) AI_LANES(__vsub2) AI_LANES(__vsub4) AI_LANES(__vabs2) AI_LANES(__vabs4)
AI_LANES(__vneg2) AI_LANES(__vneg4) AI_LANES(__vavgs2) AI_LANES(__vavgu4) AI_LANES(__vmaxs2) AI_LANES(__vmaxs4)
AI_LANES(__vmaxu2) AI_LANES(__vmaxu4) AI_LANES(__vmins2) AI_LANES(__vmins4) AI_LANES(__vminu2) AI_LANES(__vminu4)
AI_LANES(__vabsdiffu4) AI_LANES(__vabsdiffs4) AI_LANES(__vsadu4) AI_LANES(__vabsdiffs2) AI_LANES(__vabsdiffu2)
AI_LANES(__vsads2) AI_LANES(__vsads4) AI_LANES(__vsadu2) AI_LANES(__vaddss2) AI_LANES(__vaddss4) AI_LANES(__vaddus2)
AI_LANES(__vaddus4) AI_LANES(__vsubss2) AI_LANES(__vsubss4) AI_LANES(__vsubus2) AI_LANES(__vsubus4) AI_LANES(__vavgs4)
AI_LANES(__vavgu2) AI_LANES(__vhaddu2) AI_LANES(__vhaddu4) AI_LANES(__vnegss2) AI_LANES(__vnegss4) AI_LANES(__vabsss2)
AI_LANES(__vabsss4) AI_LANES(__vcmpeq4) AI_LANES(__vseteq4) AI_LANES(__vimax3_s32) AI_LANES(__vimin3_s32)
AI_LANES(__viaddmax_s32) AI_LANES(__vibmax_s32) AI_LANES(__vimax_s32_relu)
#undef AI_LANES
#define AI_FAST(name) float name(float);
AI_FAST(__expf) AI_FAST(__exp10f) AI_FAST(__logf) AI_FAST(__log2f) AI_FAST(__log10f) AI_FAST(__sinf) AI_FAST(__cosf)
AI_FAST(__tanf) AI_FAST(__tanhf)
#undef AI_FAST
float __powf(float, float);
void __sincosf(float, float *, float *);
void sincos(float, float *, float *);
float exp10(float);
float rsqrt(int);
float j0f(float), j1f(float), y0f(float), y1f(float);
double jn(int, double);
float jnf(int, float);
