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
__half __float2half_rn(float); __half __int2half_rn(int); int __half2int_rn(__half); __half __uint2half_rn(unsigned); unsigned __half2uint_rn(__half); __half __short2half_rn(short); short __half2short_rn(__half); __half __ushort2half_rn(unsigned short); unsigned short __half2ushort_rn(__half); __half __ll2half_rn(long long); long long __half2ll_rn(__half); __half __ull2half_rn(unsigned long long); unsigned long long __half2ull_rn(__half);
__half __float2half_rz(float); __half __int2half_rz(int); int __half2int_rz(__half); __half __uint2half_rz(unsigned); unsigned __half2uint_rz(__half); __half __short2half_rz(short); short __half2short_rz(__half); __half __ushort2half_rz(unsigned short); unsigned short __half2ushort_rz(__half); __half __ll2half_rz(long long); long long __half2ll_rz(__half); __half __ull2half_rz(unsigned long long); unsigned long long __half2ull_rz(__half);
__half __float2half_rd(float); __half __int2half_rd(int); int __half2int_rd(__half); __half __uint2half_rd(unsigned); unsigned __half2uint_rd(__half); __half __short2half_rd(short); short __half2short_rd(__half); __half __ushort2half_rd(unsigned short); unsigned short __half2ushort_rd(__half); __half __ll2half_rd(long long); long long __half2ll_rd(__half); __half __ull2half_rd(unsigned long long); unsigned long long __half2ull_rd(__half);
__half __float2half_ru(float); __half __int2half_ru(int); int __half2int_ru(__half); __half __uint2half_ru(unsigned); unsigned __half2uint_ru(__half); __half __short2half_ru(short); short __half2short_ru(__half); __half __ushort2half_ru(unsigned short); unsigned short __half2ushort_ru(__half); __half __ll2half_ru(long long); long long __half2ll_ru(__half); __half __ull2half_ru(unsigned long long); unsigned long long __half2ull_ru(__half);
__nv_bfloat16 __float2bfloat16_rn(float); __nv_bfloat16 __int2bfloat16_rn(int); int __bfloat162int_rn(__nv_bfloat16); __nv_bfloat16 __uint2bfloat16_rn(unsigned); unsigned __bfloat162uint_rn(__nv_bfloat16); __nv_bfloat16 __short2bfloat16_rn(short); short __bfloat162short_rn(__nv_bfloat16); __nv_bfloat16 __ushort2bfloat16_rn(unsigned short); unsigned short __bfloat162ushort_rn(__nv_bfloat16); __nv_bfloat16 __ll2bfloat16_rn(long long); long long __bfloat162ll_rn(__nv_bfloat16); __nv_bfloat16 __ull2bfloat16_rn(unsigned long long); unsigned long long __bfloat162ull_rn(__nv_bfloat16);
__nv_bfloat16 __float2bfloat16_rz(float); __nv_bfloat16 __int2bfloat16_rz(int); int __bfloat162int_rz(__nv_bfloat16); __nv_bfloat16 __uint2bfloat16_rz(unsigned); unsigned __bfloat162uint_rz(__nv_bfloat16); __nv_bfloat16 __short2bfloat16_rz(short); short __bfloat162short_rz(__nv_bfloat16); __nv_bfloat16 __ushort2bfloat16_rz(unsigned short); unsigned short __bfloat162ushort_rz(__nv_bfloat16); __nv_bfloat16 __ll2bfloat16_rz(long long); long long __bfloat162ll_rz(__nv_bfloat16); __nv_bfloat16 __ull2bfloat16_rz(unsigned long long); unsigned long long __bfloat162ull_rz(__nv_bfloat16);
__nv_bfloat16 __float2bfloat16_rd(float); __nv_bfloat16 __int2bfloat16_rd(int); int __bfloat162int_rd(__nv_bfloat16); __nv_bfloat16 __uint2bfloat16_rd(unsigned); unsigned __bfloat162uint_rd(__nv_bfloat16); __nv_bfloat16 __short2bfloat16_rd(short); short __bfloat162short_rd(__nv_bfloat16); __nv_bfloat16 __ushort2bfloat16_rd(unsigned short); unsigned short __bfloat162ushort_rd(__nv_bfloat16); __nv_bfloat16 __ll2bfloat16_rd(long long); long long __bfloat162ll_rd(__nv_bfloat16); __nv_bfloat16 __ull2bfloat16_rd(unsigned long long); unsigned long long __bfloat162ull_rd(__nv_bfloat16);
__nv_bfloat16 __float2bfloat16_ru(float); __nv_bfloat16 __int2bfloat16_ru(int); int __bfloat162int_ru(__nv_bfloat16); __nv_bfloat16 __uint2bfloat16_ru(unsigned); unsigned __bfloat162uint_ru(__nv_bfloat16); __nv_bfloat16 __short2bfloat16_ru(short); short __bfloat162short_ru(__nv_bfloat16); __nv_bfloat16 __ushort2bfloat16_ru(unsigned short); unsigned short __bfloat162ushort_ru(__nv_bfloat16); __nv_bfloat16 __ll2bfloat16_ru(long long); long long __bfloat162ll_ru(__nv_bfloat16); __nv_bfloat16 __ull2bfloat16_ru(unsigned long long); unsigned long long __bfloat162ull_ru(__nv_bfloat16);
__half2 __hadd2_sat(__half2,__half2);
__half __hadd_rn(__half,__half);
__half2 __hadd2_rn(__half2,__half2);
__half __hsub_sat(__half,__half);
__half2 __hsub2_sat(__half2,__half2);
__half __hsub_rn(__half,__half);
__half2 __hsub2_rn(__half2,__half2);
__half __hmul_sat(__half,__half);
__half2 __hmul2_sat(__half2,__half2);
__half __hmul_rn(__half,__half);
__half2 __hmul2_rn(__half2,__half2);
__half __hfma_sat(__half,__half,__half);
__half2 __hfma2_sat(__half2,__half2,__half2);
__half __hfma_relu(__half,__half,__half);
__half2 __hfma2_relu(__half2,__half2,__half2);
__nv_bfloat162 __hadd2_sat(__nv_bfloat162,__nv_bfloat162);
__nv_bfloat16 __hadd_rn(__nv_bfloat16,__nv_bfloat16);
__nv_bfloat162 __hadd2_rn(__nv_bfloat162,__nv_bfloat162);
__nv_bfloat16 __hsub_sat(__nv_bfloat16,__nv_bfloat16);
__nv_bfloat162 __hsub2_sat(__nv_bfloat162,__nv_bfloat162);
__nv_bfloat16 __hsub_rn(__nv_bfloat16,__nv_bfloat16);
__nv_bfloat162 __hsub2_rn(__nv_bfloat162,__nv_bfloat162);
__nv_bfloat16 __hmul_sat(__nv_bfloat16,__nv_bfloat16);
__nv_bfloat162 __hmul2_sat(__nv_bfloat162,__nv_bfloat162);
__nv_bfloat16 __hmul_rn(__nv_bfloat16,__nv_bfloat16);
__nv_bfloat162 __hmul2_rn(__nv_bfloat162,__nv_bfloat162);
__nv_bfloat16 __hfma_sat(__nv_bfloat16,__nv_bfloat16,__nv_bfloat16);
__nv_bfloat162 __hfma2_sat(__nv_bfloat162,__nv_bfloat162,__nv_bfloat162);
__nv_bfloat16 __hfma_relu(__nv_bfloat16,__nv_bfloat16,__nv_bfloat16);
__nv_bfloat162 __hfma2_relu(__nv_bfloat162,__nv_bfloat162,__nv_bfloat162);
typedef unsigned short __half_raw_t; struct __half_raw { unsigned short x; };
__half __float2half(float);
__half __double2half(double);
float __half2float(__half);
unsigned short __half_as_ushort(__half);
short __half_as_short(__half);
__half __ushort_as_half(unsigned short);
__half __short_as_half(short);
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
__nv_bfloat16 __float2bfloat16(float);
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
__ai_model inline bool __hgt(__half a,__half b) { return a > b; }
__ai_model inline bool __hgtu(__half a,__half b) { return !(a <= b); }
__ai_model inline bool __hbgt2(__half2 a,__half2 b) { return bool(int(a.x > b.x) & int(a.y > b.y)); }
__ai_model inline bool __hbgtu2(__half2 a,__half2 b) { return bool(int(!(a.x <= b.x)) & int(!(a.y <= b.y))); }
__ai_model inline __half2 __hgt2(__half2 a,__half2 b) { return __half2(__half(int(a.x > b.x)), __half(int(a.y > b.y))); }
__ai_model inline __half2 __hgtu2(__half2 a,__half2 b) { return __half2(__half(int(!(a.x <= b.x))), __half(int(!(a.y <= b.y)))); }
__ai_model inline bool __hlt(__half a,__half b) { return a < b; }
__ai_model inline bool __hltu(__half a,__half b) { return !(a >= b); }
__ai_model inline bool __hblt2(__half2 a,__half2 b) { return bool(int(a.x < b.x) & int(a.y < b.y)); }
__ai_model inline bool __hbltu2(__half2 a,__half2 b) { return bool(int(!(a.x >= b.x)) & int(!(a.y >= b.y))); }
__ai_model inline __half2 __hlt2(__half2 a,__half2 b) { return __half2(__half(int(a.x < b.x)), __half(int(a.y < b.y))); }
__ai_model inline __half2 __hltu2(__half2 a,__half2 b) { return __half2(__half(int(!(a.x >= b.x))), __half(int(!(a.y >= b.y)))); }
__ai_model inline bool __hge(__half a,__half b) { return a >= b; }
__ai_model inline bool __hgeu(__half a,__half b) { return !(a < b); }
__ai_model inline bool __hbge2(__half2 a,__half2 b) { return bool(int(a.x >= b.x) & int(a.y >= b.y)); }
__ai_model inline bool __hbgeu2(__half2 a,__half2 b) { return bool(int(!(a.x < b.x)) & int(!(a.y < b.y))); }
__ai_model inline __half2 __hge2(__half2 a,__half2 b) { return __half2(__half(int(a.x >= b.x)), __half(int(a.y >= b.y))); }
__ai_model inline __half2 __hgeu2(__half2 a,__half2 b) { return __half2(__half(int(!(a.x < b.x))), __half(int(!(a.y < b.y)))); }
__ai_model inline bool __hle(__half a,__half b) { return a <= b; }
__ai_model inline bool __hleu(__half a,__half b) { return !(a > b); }
__ai_model inline bool __hble2(__half2 a,__half2 b) { return bool(int(a.x <= b.x) & int(a.y <= b.y)); }
__ai_model inline bool __hbleu2(__half2 a,__half2 b) { return bool(int(!(a.x > b.x)) & int(!(a.y > b.y))); }
__ai_model inline __half2 __hle2(__half2 a,__half2 b) { return __half2(__half(int(a.x <= b.x)), __half(int(a.y <= b.y))); }
__ai_model inline __half2 __hleu2(__half2 a,__half2 b) { return __half2(__half(int(!(a.x > b.x))), __half(int(!(a.y > b.y)))); }
__ai_model inline bool __heq(__half a,__half b) { return a == b; }
__ai_model inline bool __hequ(__half a,__half b) { return !(a != b); }
__ai_model inline bool __hbeq2(__half2 a,__half2 b) { return bool(int(a.x == b.x) & int(a.y == b.y)); }
__ai_model inline bool __hbequ2(__half2 a,__half2 b) { return bool(int(!(a.x != b.x)) & int(!(a.y != b.y))); }
__ai_model inline __half2 __heq2(__half2 a,__half2 b) { return __half2(__half(int(a.x == b.x)), __half(int(a.y == b.y))); }
__ai_model inline __half2 __hequ2(__half2 a,__half2 b) { return __half2(__half(int(!(a.x != b.x))), __half(int(!(a.y != b.y)))); }
__ai_model inline bool __hne(__half a,__half b) { return a != b; }
__ai_model inline bool __hneu(__half a,__half b) { return !(a == b); }
__ai_model inline bool __hbne2(__half2 a,__half2 b) { return bool(int(a.x != b.x) & int(a.y != b.y)); }
__ai_model inline bool __hbneu2(__half2 a,__half2 b) { return bool(int(!(a.x == b.x)) & int(!(a.y == b.y))); }
__ai_model inline __half2 __hne2(__half2 a,__half2 b) { return __half2(__half(int(a.x != b.x)), __half(int(a.y != b.y))); }
__ai_model inline __half2 __hneu2(__half2 a,__half2 b) { return __half2(__half(int(!(a.x == b.x))), __half(int(!(a.y == b.y)))); }
__ai_model inline bool __hisnan(__half a) { return a != a; }
__ai_model inline int __hisinf(__half a) { return int(a == __half(__builtin_inff())) - int(a == __half(-__builtin_inff())); }
__ai_model inline __half2 __hisnan2(__half2 a) { return __half2(__half(int(a.x != a.x)), __half(int(a.y != a.y))); }
__ai_model inline bool __hgt(__nv_bfloat16 a,__nv_bfloat16 b) { return a > b; }
__ai_model inline bool __hgtu(__nv_bfloat16 a,__nv_bfloat16 b) { return !(a <= b); }
__ai_model inline bool __hbgt2(__nv_bfloat162 a,__nv_bfloat162 b) { return bool(int(a.x > b.x) & int(a.y > b.y)); }
__ai_model inline bool __hbgtu2(__nv_bfloat162 a,__nv_bfloat162 b) { return bool(int(!(a.x <= b.x)) & int(!(a.y <= b.y))); }
__ai_model inline __nv_bfloat162 __hgt2(__nv_bfloat162 a,__nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(int(a.x > b.x)), __nv_bfloat16(int(a.y > b.y))); }
__ai_model inline __nv_bfloat162 __hgtu2(__nv_bfloat162 a,__nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(int(!(a.x <= b.x))), __nv_bfloat16(int(!(a.y <= b.y)))); }
__ai_model inline bool __hlt(__nv_bfloat16 a,__nv_bfloat16 b) { return a < b; }
__ai_model inline bool __hltu(__nv_bfloat16 a,__nv_bfloat16 b) { return !(a >= b); }
__ai_model inline bool __hblt2(__nv_bfloat162 a,__nv_bfloat162 b) { return bool(int(a.x < b.x) & int(a.y < b.y)); }
__ai_model inline bool __hbltu2(__nv_bfloat162 a,__nv_bfloat162 b) { return bool(int(!(a.x >= b.x)) & int(!(a.y >= b.y))); }
__ai_model inline __nv_bfloat162 __hlt2(__nv_bfloat162 a,__nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(int(a.x < b.x)), __nv_bfloat16(int(a.y < b.y))); }
__ai_model inline __nv_bfloat162 __hltu2(__nv_bfloat162 a,__nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(int(!(a.x >= b.x))), __nv_bfloat16(int(!(a.y >= b.y)))); }
__ai_model inline bool __hge(__nv_bfloat16 a,__nv_bfloat16 b) { return a >= b; }
__ai_model inline bool __hgeu(__nv_bfloat16 a,__nv_bfloat16 b) { return !(a < b); }
__ai_model inline bool __hbge2(__nv_bfloat162 a,__nv_bfloat162 b) { return bool(int(a.x >= b.x) & int(a.y >= b.y)); }
__ai_model inline bool __hbgeu2(__nv_bfloat162 a,__nv_bfloat162 b) { return bool(int(!(a.x < b.x)) & int(!(a.y < b.y))); }
__ai_model inline __nv_bfloat162 __hge2(__nv_bfloat162 a,__nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(int(a.x >= b.x)), __nv_bfloat16(int(a.y >= b.y))); }
__ai_model inline __nv_bfloat162 __hgeu2(__nv_bfloat162 a,__nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(int(!(a.x < b.x))), __nv_bfloat16(int(!(a.y < b.y)))); }
__ai_model inline bool __hle(__nv_bfloat16 a,__nv_bfloat16 b) { return a <= b; }
__ai_model inline bool __hleu(__nv_bfloat16 a,__nv_bfloat16 b) { return !(a > b); }
__ai_model inline bool __hble2(__nv_bfloat162 a,__nv_bfloat162 b) { return bool(int(a.x <= b.x) & int(a.y <= b.y)); }
__ai_model inline bool __hbleu2(__nv_bfloat162 a,__nv_bfloat162 b) { return bool(int(!(a.x > b.x)) & int(!(a.y > b.y))); }
__ai_model inline __nv_bfloat162 __hle2(__nv_bfloat162 a,__nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(int(a.x <= b.x)), __nv_bfloat16(int(a.y <= b.y))); }
__ai_model inline __nv_bfloat162 __hleu2(__nv_bfloat162 a,__nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(int(!(a.x > b.x))), __nv_bfloat16(int(!(a.y > b.y)))); }
__ai_model inline bool __heq(__nv_bfloat16 a,__nv_bfloat16 b) { return a == b; }
__ai_model inline bool __hequ(__nv_bfloat16 a,__nv_bfloat16 b) { return !(a != b); }
__ai_model inline bool __hbeq2(__nv_bfloat162 a,__nv_bfloat162 b) { return bool(int(a.x == b.x) & int(a.y == b.y)); }
__ai_model inline bool __hbequ2(__nv_bfloat162 a,__nv_bfloat162 b) { return bool(int(!(a.x != b.x)) & int(!(a.y != b.y))); }
__ai_model inline __nv_bfloat162 __heq2(__nv_bfloat162 a,__nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(int(a.x == b.x)), __nv_bfloat16(int(a.y == b.y))); }
__ai_model inline __nv_bfloat162 __hequ2(__nv_bfloat162 a,__nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(int(!(a.x != b.x))), __nv_bfloat16(int(!(a.y != b.y)))); }
__ai_model inline bool __hne(__nv_bfloat16 a,__nv_bfloat16 b) { return a != b; }
__ai_model inline bool __hneu(__nv_bfloat16 a,__nv_bfloat16 b) { return !(a == b); }
__ai_model inline bool __hbne2(__nv_bfloat162 a,__nv_bfloat162 b) { return bool(int(a.x != b.x) & int(a.y != b.y)); }
__ai_model inline bool __hbneu2(__nv_bfloat162 a,__nv_bfloat162 b) { return bool(int(!(a.x == b.x)) & int(!(a.y == b.y))); }
__ai_model inline __nv_bfloat162 __hne2(__nv_bfloat162 a,__nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(int(a.x != b.x)), __nv_bfloat16(int(a.y != b.y))); }
__ai_model inline __nv_bfloat162 __hneu2(__nv_bfloat162 a,__nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(int(!(a.x == b.x))), __nv_bfloat16(int(!(a.y == b.y)))); }
__ai_model inline bool __hisnan(__nv_bfloat16 a) { return a != a; }
__ai_model inline int __hisinf(__nv_bfloat16 a) { return int(a == __nv_bfloat16(__builtin_inff())) - int(a == __nv_bfloat16(-__builtin_inff())); }
__ai_model inline __nv_bfloat162 __hisnan2(__nv_bfloat162 a) { return __nv_bfloat162(__nv_bfloat16(int(a.x != a.x)), __nv_bfloat16(int(a.y != a.y))); }
#pragma clang force_cuda_host_device end
