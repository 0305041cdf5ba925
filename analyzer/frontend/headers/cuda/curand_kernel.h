#pragma once
#pragma clang force_cuda_host_device begin
struct curandStateXORWOW { unsigned d,v[5]; };
typedef curandStateXORWOW curandState_t, curandState, curandStateXORWOW_t;
struct curandStatePhilox4_32_10 { uint4 a,b; };
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
struct curandStateMRG32k3a { unsigned a[6]; };
typedef curandStateMRG32k3a curandStateMRG32k3a_t;
template<class S> void curand_init(unsigned long long,unsigned long long,unsigned long long,S*);
template<class S> float curand_uniform(S*);
template<class S> double curand_uniform_double(S*);
template<class S> float curand_normal(S*);
template<class S> double curand_normal_double(S*);
template<class S> unsigned curand(S*);
template<class S> float4 curand_uniform4(S*);
template<class S> uint4 curand4(S*);
template<class S> float2 curand_normal2(S*);
template<class S> unsigned curand_poisson(S*,double);
template<class S> float curand_log_normal(S*,float,float);
#pragma clang force_cuda_host_device end
