#pragma once
#pragma clang force_cuda_host_device begin
struct __half { unsigned short __x; __half()=default; __half(float); __half(double); __half(int); __half(unsigned); __half(long); __half(long long); __half(unsigned long); __half(short); operator float() const; __half& operator+=(const __half&); __half& operator-=(const __half&); __half& operator*=(const __half&); __half& operator/=(const __half&); __half& operator=(float); __half& operator=(double); __half& operator=(int);  __half& operator++(); __half operator-() const; };
struct __attribute__((aligned(4))) __half2 { __half x,y; __half2()=default; __half2(__half,__half); };
typedef __half half; typedef __half2 half2;
__half2 operator-(const __half2&);
__half2& operator+=(__half2&,const __half2&);
__half2& operator*=(__half2&,const __half2&);
__half2& operator-=(__half2&,const __half2&);
__half operator+(const __half&,const __half&); __half2 operator+(const __half2&,const __half2&);
__half operator-(const __half&,const __half&); __half2 operator-(const __half2&,const __half2&);
__half operator*(const __half&,const __half&); __half2 operator*(const __half2&,const __half2&);
__half operator/(const __half&,const __half&); __half2 operator/(const __half2&,const __half2&);
bool operator<(const __half&,const __half&);
bool operator>(const __half&,const __half&);
bool operator<=(const __half&,const __half&);
bool operator>=(const __half&,const __half&);
bool operator==(const __half&,const __half&);
bool operator!=(const __half&,const __half&);
__half __hadd(__half,__half); __half2 __hadd2(__half2,__half2);
__half __hsub(__half,__half); __half2 __hsub2(__half2,__half2);
__half __hmul(__half,__half); __half2 __hmul2(__half2,__half2);
__half __hdiv(__half,__half); __half2 __hdiv2(__half2,__half2);
__half __hmax(__half,__half); __half2 __hmax2(__half2,__half2);
__half __hmin(__half,__half); __half2 __hmin2(__half2,__half2);
__half __hmax_nan(__half,__half); __half2 __hmax_nan2(__half2,__half2);
__half __hmin_nan(__half,__half); __half2 __hmin_nan2(__half2,__half2);
__half __hadd_sat(__half,__half); __half2 __hadd_sat2(__half2,__half2);
__half __hneg(__half); __half2 __hneg2(__half2);
__half __habs(__half); __half2 __habs2(__half2);
__half __hfma(__half,__half,__half); __half2 __hfma2(__half2,__half2,__half2);
template<class A> bool __hgt(__half,A); __half2 __hgt2(__half2,__half2); 
template<class A> bool __hlt(__half,A); __half2 __hlt2(__half2,__half2); 
template<class A> bool __hge(__half,A); __half2 __hge2(__half2,__half2); 
template<class A> bool __hle(__half,A); __half2 __hle2(__half2,__half2); 
template<class A> bool __heq(__half,A); __half2 __heq2(__half2,__half2); 
template<class A> bool __hne(__half,A); __half2 __hne2(__half2,__half2); 
template<class A> bool __hisnan(__half,A); __half2 __hisnan2(__half2,__half2); 
template<class A> bool __hisinf(__half,A); __half2 __hisinf2(__half2,__half2); 
__half hexp(__half);
__half hexp2(__half);
__half hlog(__half);
__half hlog2(__half);
__half hsqrt(__half);
__half hrsqrt(__half);
__half hsin(__half);
__half hcos(__half);
__half hrcp(__half);
__half htanh(__half);
__half hfloor(__half);
__half hceil(__half);
__half htrunc(__half);
__half hrint(__half);
__half hexp10(__half);
__half hlog10(__half);
__half2 h2exp(__half2);
__half2 h2exp2(__half2);
__half2 h2log(__half2);
__half2 h2log2(__half2);
__half2 h2sqrt(__half2);
__half2 h2rsqrt(__half2);
__half2 h2sin(__half2);
__half2 h2cos(__half2);
__half2 h2rcp(__half2);
struct __nv_bfloat16 { unsigned short __x; __nv_bfloat16()=default; __nv_bfloat16(float); __nv_bfloat16(double); __nv_bfloat16(int); __nv_bfloat16(unsigned); __nv_bfloat16(long); __nv_bfloat16(long long); __nv_bfloat16(unsigned long); __nv_bfloat16(short); operator float() const; __nv_bfloat16& operator+=(const __nv_bfloat16&); __nv_bfloat16& operator-=(const __nv_bfloat16&); __nv_bfloat16& operator*=(const __nv_bfloat16&); __nv_bfloat16& operator/=(const __nv_bfloat16&); __nv_bfloat16& operator=(float); __nv_bfloat16& operator=(double); __nv_bfloat16& operator=(int);  __nv_bfloat16& operator++(); __nv_bfloat16 operator-() const; };
struct __attribute__((aligned(4))) __nv_bfloat162 { __nv_bfloat16 x,y; __nv_bfloat162()=default; __nv_bfloat162(__nv_bfloat16,__nv_bfloat16); };
typedef __nv_bfloat16 nv_bfloat16; typedef __nv_bfloat162 nv_bfloat162;
__nv_bfloat162 operator-(const __nv_bfloat162&);
__nv_bfloat162& operator+=(__nv_bfloat162&,const __nv_bfloat162&);
__nv_bfloat162& operator*=(__nv_bfloat162&,const __nv_bfloat162&);
__nv_bfloat162& operator-=(__nv_bfloat162&,const __nv_bfloat162&);
__nv_bfloat16 operator+(const __nv_bfloat16&,const __nv_bfloat16&); __nv_bfloat162 operator+(const __nv_bfloat162&,const __nv_bfloat162&);
__nv_bfloat16 operator-(const __nv_bfloat16&,const __nv_bfloat16&); __nv_bfloat162 operator-(const __nv_bfloat162&,const __nv_bfloat162&);
__nv_bfloat16 operator*(const __nv_bfloat16&,const __nv_bfloat16&); __nv_bfloat162 operator*(const __nv_bfloat162&,const __nv_bfloat162&);
__nv_bfloat16 operator/(const __nv_bfloat16&,const __nv_bfloat16&); __nv_bfloat162 operator/(const __nv_bfloat162&,const __nv_bfloat162&);
bool operator<(const __nv_bfloat16&,const __nv_bfloat16&);
bool operator>(const __nv_bfloat16&,const __nv_bfloat16&);
bool operator<=(const __nv_bfloat16&,const __nv_bfloat16&);
bool operator>=(const __nv_bfloat16&,const __nv_bfloat16&);
bool operator==(const __nv_bfloat16&,const __nv_bfloat16&);
bool operator!=(const __nv_bfloat16&,const __nv_bfloat16&);
__nv_bfloat16 __hadd(__nv_bfloat16,__nv_bfloat16); __nv_bfloat162 __hadd2(__nv_bfloat162,__nv_bfloat162);
__nv_bfloat16 __hsub(__nv_bfloat16,__nv_bfloat16); __nv_bfloat162 __hsub2(__nv_bfloat162,__nv_bfloat162);
__nv_bfloat16 __hmul(__nv_bfloat16,__nv_bfloat16); __nv_bfloat162 __hmul2(__nv_bfloat162,__nv_bfloat162);
__nv_bfloat16 __hdiv(__nv_bfloat16,__nv_bfloat16); __nv_bfloat162 __hdiv2(__nv_bfloat162,__nv_bfloat162);
__nv_bfloat16 __hmax(__nv_bfloat16,__nv_bfloat16); __nv_bfloat162 __hmax2(__nv_bfloat162,__nv_bfloat162);
__nv_bfloat16 __hmin(__nv_bfloat16,__nv_bfloat16); __nv_bfloat162 __hmin2(__nv_bfloat162,__nv_bfloat162);
__nv_bfloat16 __hmax_nan(__nv_bfloat16,__nv_bfloat16); __nv_bfloat162 __hmax_nan2(__nv_bfloat162,__nv_bfloat162);
__nv_bfloat16 __hmin_nan(__nv_bfloat16,__nv_bfloat16); __nv_bfloat162 __hmin_nan2(__nv_bfloat162,__nv_bfloat162);
__nv_bfloat16 __ushort_as_bfloat16(unsigned short); unsigned short __bfloat16_as_ushort(__nv_bfloat16); __nv_bfloat16 __short_as_bfloat16(short); short __bfloat16_as_short(__nv_bfloat16);
__nv_bfloat16 __hadd_sat(__nv_bfloat16,__nv_bfloat16); __nv_bfloat162 __hadd_sat2(__nv_bfloat162,__nv_bfloat162);
__nv_bfloat16 __hneg(__nv_bfloat16); __nv_bfloat162 __hneg2(__nv_bfloat162);
__nv_bfloat16 __habs(__nv_bfloat16); __nv_bfloat162 __habs2(__nv_bfloat162);
__nv_bfloat16 __hfma(__nv_bfloat16,__nv_bfloat16,__nv_bfloat16); __nv_bfloat162 __hfma2(__nv_bfloat162,__nv_bfloat162,__nv_bfloat162);
template<class A> bool __hgt(__nv_bfloat16,A); __nv_bfloat162 __hgt2(__nv_bfloat162,__nv_bfloat162); 
template<class A> bool __hlt(__nv_bfloat16,A); __nv_bfloat162 __hlt2(__nv_bfloat162,__nv_bfloat162); 
template<class A> bool __hge(__nv_bfloat16,A); __nv_bfloat162 __hge2(__nv_bfloat162,__nv_bfloat162); 
template<class A> bool __hle(__nv_bfloat16,A); __nv_bfloat162 __hle2(__nv_bfloat162,__nv_bfloat162); 
template<class A> bool __heq(__nv_bfloat16,A); __nv_bfloat162 __heq2(__nv_bfloat162,__nv_bfloat162); 
template<class A> bool __hne(__nv_bfloat16,A); __nv_bfloat162 __hne2(__nv_bfloat162,__nv_bfloat162); 
template<class A> bool __hisnan(__nv_bfloat16,A); __nv_bfloat162 __hisnan2(__nv_bfloat162,__nv_bfloat162); 
template<class A> bool __hisinf(__nv_bfloat16,A); __nv_bfloat162 __hisinf2(__nv_bfloat162,__nv_bfloat162); 
__nv_bfloat16 hexp(__nv_bfloat16);
__nv_bfloat16 hexp2(__nv_bfloat16);
__nv_bfloat16 hlog(__nv_bfloat16);
__nv_bfloat16 hlog2(__nv_bfloat16);
__nv_bfloat16 hsqrt(__nv_bfloat16);
__nv_bfloat16 hrsqrt(__nv_bfloat16);
__nv_bfloat16 hsin(__nv_bfloat16);
__nv_bfloat16 hcos(__nv_bfloat16);
__nv_bfloat16 hrcp(__nv_bfloat16);
__nv_bfloat16 htanh(__nv_bfloat16);
__nv_bfloat16 hfloor(__nv_bfloat16);
__nv_bfloat16 hceil(__nv_bfloat16);
__nv_bfloat16 htrunc(__nv_bfloat16);
__nv_bfloat16 hrint(__nv_bfloat16);
__nv_bfloat16 hexp10(__nv_bfloat16);
__nv_bfloat16 hlog10(__nv_bfloat16);
__nv_bfloat162 h2exp(__nv_bfloat162);
__nv_bfloat162 h2exp2(__nv_bfloat162);
__nv_bfloat162 h2log(__nv_bfloat162);
__nv_bfloat162 h2log2(__nv_bfloat162);
__nv_bfloat162 h2sqrt(__nv_bfloat162);
__nv_bfloat162 h2rsqrt(__nv_bfloat162);
__nv_bfloat162 h2sin(__nv_bfloat162);
__nv_bfloat162 h2cos(__nv_bfloat162);
__nv_bfloat162 h2rcp(__nv_bfloat162);
typedef unsigned short __half_raw_t; struct __half_raw { unsigned short x; };
__half __float2half(float);
__half __float2half_rn(float);
__half __float2half_rz(float);
__half __double2half(double);
float __half2float(__half);
int __half2int_rn(__half);
__half __int2half_rn(int);
unsigned short __half_as_ushort(__half);
short __half_as_short(__half);
__half __ushort_as_half(unsigned short);
__half __short_as_half(short);
__half __uint2half_rn(unsigned);
__half2 make_half2(__half,__half);
__ai_model inline __half2 __halves2half2(__half a,__half b) { return make_half2(a, b); }
__ai_model inline __half2 __half2half2(__half a) { return make_half2(a, a); }
__ai_model inline __half2 __floats2half2_rn(float a,float b) { return make_half2(__float2half_rn(a), __float2half_rn(b)); }
__ai_model inline __half2 __float2half2_rn(float a) { return __half2half2(__float2half_rn(a)); }
__ai_model inline __half2 __float22half2_rn(float2 a) { return __floats2half2_rn(a.x, a.y); }
__ai_model inline __half __low2half(__half2 a) { return a.x; }
__ai_model inline __half2 __h2div(__half2 a,__half2 b) { return make_half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
__ai_model inline __half __high2half(__half2 a) { return a.y; }
__ai_model inline float __low2float(__half2 a) { return __half2float(a.x); }
__ai_model inline float __high2float(__half2 a) { return __half2float(a.y); }
__ai_model inline float2 __half22float2(__half2 a) { float2 r; r.x = __half2float(a.x); r.y = __half2float(a.y); return r; }
__ai_model inline __half2 __low2half2(__half2 a) { return make_half2(a.x, a.x); }
__ai_model inline __half2 __high2half2(__half2 a) { return make_half2(a.y, a.y); }
__ai_model inline __half2 __lows2half2(__half2 a,__half2 b) { return make_half2(a.x, b.x); }
__ai_model inline __half2 __highs2half2(__half2 a,__half2 b) { return make_half2(a.y, b.y); }
__ai_model inline __half2 __lowhigh2highlow(__half2 a) { return make_half2(a.y, a.x); }
__half __ll2half_rn(long long);
unsigned __half2uint_rn(__half);
int __half2int_rz(__half);
__half __ushort2half_rn(unsigned short);
bool __hbgt2(__half2,__half2);
__nv_bfloat16 __float2bfloat16(float);
__nv_bfloat16 __float2bfloat16_rn(float);
float __bfloat162float(__nv_bfloat16);
__nv_bfloat162 make_bfloat162(__nv_bfloat16,__nv_bfloat16);
__ai_model inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a,__nv_bfloat16 b) { return make_bfloat162(a, b); }
__ai_model inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return make_bfloat162(a, a); }
__ai_model inline __nv_bfloat162 __floats2bfloat162_rn(float a,float b) { return make_bfloat162(__float2bfloat16_rn(a), __float2bfloat16_rn(b)); }
__ai_model inline __nv_bfloat162 __float2bfloat162_rn(float a) { return __bfloat162bfloat162(__float2bfloat16_rn(a)); }
__ai_model inline __nv_bfloat162 __float22bfloat162_rn(float2 a) { return __floats2bfloat162_rn(a.x, a.y); }
__ai_model inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
__ai_model inline __nv_bfloat162 __h2div(__nv_bfloat162 a,__nv_bfloat162 b) { return make_bfloat162(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
__ai_model inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
__ai_model inline float __low2float(__nv_bfloat162 a) { return __bfloat162float(a.x); }
__ai_model inline float __high2float(__nv_bfloat162 a) { return __bfloat162float(a.y); }
__ai_model inline float2 __bfloat1622float2(__nv_bfloat162 a) { float2 r; r.x = __bfloat162float(a.x); r.y = __bfloat162float(a.y); return r; }
#pragma clang force_cuda_host_device end
