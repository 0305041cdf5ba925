#pragma once
#pragma clang force_cuda_host_device begin
// XORWOW is that of G. Marsaglia, "Xorshift RNGs", 2003; normal numbers come in pairs (Box and Muller), one is kept.
struct curandStateXORWOW { unsigned d,v0,v1,v2,v3,v4; int has_normal,has_normal_double; float normal; double normal_double; };
typedef curandStateXORWOW curandState_t, curandState, curandStateXORWOW_t;
struct curandStatePhilox4_32_10 { uint4 a,b; };
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
struct curandStateMRG32k3a { unsigned a[6]; };
typedef curandStateMRG32k3a curandStateMRG32k3a_t;
template<class S> void curand_init(unsigned long long,unsigned long long,unsigned long long,S*);
template<class S> unsigned curand(S*);
__ai_model inline unsigned curand(curandStateXORWOW* s) {
  unsigned t = s->v0 ^ (s->v0 >> 2);
  s->v0 = s->v1; s->v1 = s->v2; s->v2 = s->v3; s->v3 = s->v4;
  s->v4 = (s->v4 ^ (s->v4 << 4)) ^ (t ^ (t << 1));
  s->d += 362437;
  return s->v4 + s->d; }
template<class S> __ai_model float curand_uniform(S* s) { return curand(s) * 2.3283064e-10f + 1.1641532e-10f; }
template<class S> __ai_model double curand_uniform_double(S* s) {
  unsigned x = curand(s), y = curand(s);
  unsigned long long bits = (unsigned long long)x ^ ((unsigned long long)y << 21);
  return bits * 1.1102230246251565e-16 + 5.5511151231257827e-17; }
template<class S> __ai_model float2 curand_normal2(S* s) {
  unsigned x = curand(s), y = curand(s);
  float u = x * 2.3283064e-10f + 1.1641532e-10f, v = y * 1.46291807e-09f + 7.3145903e-10f;
  float length = sqrtf(-2.0f * logf(u)), a, b;
  __sincosf(v, &a, &b);
  return make_float2(a * length, b * length); }
template<class S> double2 curand_normal2_double(S*);
template<class S> float curand_normal(S*);
__ai_model inline float curand_normal(curandStateXORWOW* s) {
  if (s->has_normal) { s->has_normal = 0; return s->normal; }
  float2 pair = curand_normal2(s);
  s->normal = pair.y; s->has_normal = 1;
  return pair.x; }
template<class S> double curand_normal_double(S*);
template<class S> float4 curand_uniform4(S*);
template<class S> float4 curand_normal4(S*);
template<class S> double2 curand_uniform2_double(S*);
template<class S> uint4 curand4(S*);
template<class S> void skipahead(unsigned long long,S*);
template<class S> void skipahead_sequence(unsigned long long,S*);
template<class S> double curand_log_normal_double(S*,double,double);
template<class S> unsigned curand_poisson(S*,double);
template<class S> float curand_log_normal(S*,float,float);
#pragma clang force_cuda_host_device end
