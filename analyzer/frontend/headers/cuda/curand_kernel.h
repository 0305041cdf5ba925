#pragma once
#pragma clang force_cuda_host_device begin
// XORWOW is that of G. Marsaglia, "Xorshift RNGs", 2003; normal numbers come in pairs (Box and Muller), one is kept.
struct curandStateXORWOW { unsigned d,v0,v1,v2,v3,v4; int has_normal,has_normal_double; float normal; double normal_double; };
typedef curandStateXORWOW curandState_t, curandState, curandStateXORWOW_t;
struct curandStatePhilox4_32_10 { uint4 counter,numbers; uint2 key; unsigned taken; int has_normal,has_normal_double; float normal; double normal_double; };
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
struct curandStateMRG32k3a { unsigned s1[3],s2[3]; int has_normal,has_normal_double; float normal; double normal_double; };
typedef curandStateMRG32k3a curandStateMRG32k3a_t;
// How far the others skip ahead is integer work by the bits of sequence and offset, which is not counted.
void __rest_of_curand_init(unsigned long long,unsigned long long);
__ai_model inline void curand_init(unsigned long long seed,unsigned long long sequence,unsigned long long offset,curandStateXORWOW* s) {
  unsigned low = (unsigned)seed, high = (unsigned)(seed >> 32);
  s->d = 6615241u + low; s->v0 = 123456789u + low; s->v1 = 362436069u + high; s->v2 = 521288629u + low; s->v3 = 88675123u + high; s->v4 = 5783321u + low;
  s->has_normal = 0; s->has_normal_double = 0;
  __rest_of_curand_init(sequence, offset); }
__ai_model inline void curand_init(unsigned long long seed,unsigned long long sequence,unsigned long long offset,curandStateMRG32k3a* s) {
  for (int i = 0; i < 3; ++i) { s->s1[i] = (unsigned)seed; s->s2[i] = (unsigned)(seed >> 32); }
  s->has_normal = 0; s->has_normal_double = 0;
  __rest_of_curand_init(sequence, offset); }
template<class S> void curand_init(unsigned long long,unsigned long long,unsigned long long,S*);
template<class S> unsigned curand(S*);
// Philox is that of J. Salmon and others, "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011: 4 numbers by 10 rounds.
__ai_model inline uint4 __ai_philox(uint4 c,uint2 k) {
  for (int round = 0; round < 10; ++round) {
    unsigned long long p = 0xD2511F53ull * c.x, q = 0xCD9E8D57ull * c.z;
    c = make_uint4((unsigned)(q >> 32) ^ c.y ^ k.x, (unsigned)q, (unsigned)(p >> 32) ^ c.w ^ k.y, (unsigned)p);
    k.x += 0x9E3779B9; k.y += 0xBB67AE85; }
  return c; }
__ai_model inline void curand_init(unsigned long long seed,unsigned long long sequence,unsigned long long offset,curandStatePhilox4_32_10* s) {
  s->key = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
  s->counter = make_uint4((unsigned)(offset >> 2), (unsigned)(offset >> 34), (unsigned)sequence, (unsigned)(sequence >> 32));
  s->taken = (unsigned)offset & 3; s->has_normal = 0; s->has_normal_double = 0;
  s->numbers = __ai_philox(s->counter, s->key); }
__ai_model inline unsigned curand(curandStatePhilox4_32_10* s) {
  unsigned number = s->taken == 0 ? s->numbers.x : s->taken == 1 ? s->numbers.y : s->taken == 2 ? s->numbers.z : s->numbers.w;
  if (s->taken++ == 3) { s->counter.x += 1; s->numbers = __ai_philox(s->counter, s->key); s->taken = 0; }
  return number; }
__ai_model inline uint4 curand4(curandStatePhilox4_32_10* s) {
  uint4 numbers = s->numbers;
  s->counter.x += 1; s->numbers = __ai_philox(s->counter, s->key);
  return numbers; }
// MRG32k3a is that of P. L'Ecuyer, "Good Parameters and Implementations for Combined Multiple Recursive Random Number
// Generators", 1999.
__ai_model inline unsigned curand(curandStateMRG32k3a* s) {
  unsigned long long p = (1403580ull * s->s1[1] + 4294156359ull * s->s1[0]) % 4294967087ull;
  unsigned long long q = (527612ull * s->s2[2] + 4293573854ull * s->s2[0]) % 4294944443ull;
  s->s1[0] = s->s1[1]; s->s1[1] = s->s1[2]; s->s1[2] = (unsigned)p;
  s->s2[0] = s->s2[1]; s->s2[1] = s->s2[2]; s->s2[2] = (unsigned)q;
  return (unsigned)(p > q ? p - q : p + 4294967087ull - q); }
__ai_model inline unsigned curand(curandStateXORWOW* s) {
  unsigned t = s->v0 ^ (s->v0 >> 2);
  s->v0 = s->v1; s->v1 = s->v2; s->v2 = s->v3; s->v3 = s->v4;
  s->v4 = (s->v4 ^ (s->v4 << 4)) ^ (t ^ (t << 1));
  s->d += 362437;
  return s->v4 + s->d; }
__ai_model inline float __ai_uniform(unsigned x) { return x * 2.3283064e-10f + 1.1641532e-10f; }
__ai_model inline float2 __ai_normal(unsigned x,unsigned y) {
  float u = __ai_uniform(x), v = y * 1.46291807e-09f + 7.3145903e-10f;
  float length = sqrtf(-2.0f * logf(u)), a, b;
  __sincosf(v, &a, &b);
  return make_float2(a * length, b * length); }
template<class S> __ai_model float curand_uniform(S* s) { return __ai_uniform(curand(s)); }
template<class S> __ai_model double curand_uniform_double(S* s) {
  unsigned x = curand(s), y = curand(s);
  unsigned long long bits = (unsigned long long)x ^ ((unsigned long long)y << 21);
  return bits * 1.1102230246251565e-16 + 5.5511151231257827e-17; }
template<class S> __ai_model float2 curand_normal2(S* s) {
  unsigned x = curand(s), y = curand(s);
  return __ai_normal(x, y); }
template<class S> __ai_model double2 curand_normal2_double(S* s) {
  double u = curand_uniform_double(s), v = curand_uniform_double(s) * 2.0;
  double length = sqrt(-2.0 * log(u)), a, b;
  sincospi(v, &a, &b);
  return make_double2(a * length, b * length); }
template<class S> __ai_model float curand_normal(S* s) {
  if (s->has_normal) { s->has_normal = 0; return s->normal; }
  float2 pair = curand_normal2(s);
  s->normal = pair.y; s->has_normal = 1;
  return pair.x; }
template<class S> __ai_model double curand_normal_double(S* s) {
  if (s->has_normal_double) { s->has_normal_double = 0; return s->normal_double; }
  double2 pair = curand_normal2_double(s);
  s->normal_double = pair.y; s->has_normal_double = 1;
  return pair.x; }
template<class S> __ai_model float4 curand_uniform4(S* s) {
  uint4 x = curand4(s);
  return make_float4(__ai_uniform(x.x), __ai_uniform(x.y), __ai_uniform(x.z), __ai_uniform(x.w)); }
template<class S> __ai_model float4 curand_normal4(S* s) {
  uint4 x = curand4(s);
  float2 one = __ai_normal(x.x, x.y), two = __ai_normal(x.z, x.w);
  return make_float4(one.x, one.y, two.x, two.y); }
template<class S> double2 curand_uniform2_double(S*);
template<class S> uint4 curand4(S*);
template<class S> void skipahead(unsigned long long,S*);
template<class S> void skipahead_sequence(unsigned long long,S*);
template<class S> __ai_model double curand_log_normal_double(S* s,double mean,double deviation) { return exp(mean + deviation * curand_normal_double(s)); }
template<class S> unsigned curand_poisson(S*,double);
template<class S> __ai_model float curand_log_normal(S* s,float mean,float deviation) { return expf(mean + deviation * curand_normal(s)); }
#pragma clang force_cuda_host_device end
