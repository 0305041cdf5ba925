#pragma once
#define AI_VECTORS(name, T, a1, a2, a3, a4) \
  struct __attribute__((aligned(a1))) name##1 { T x; }; \
  struct __attribute__((aligned(a2))) name##2 { T x, y; }; \
  struct __attribute__((aligned(a3))) name##3 { T x, y, z; }; \
  struct __attribute__((aligned(a4))) name##4 { T x, y, z, w; }; \
  name##1 make_##name##1(T); \
  name##2 make_##name##2(T, T); \
  name##3 make_##name##3(T, T, T); \
  name##4 make_##name##4(T, T, T, T);
AI_VECTORS(char, signed char, 1, 2, 1, 4)
AI_VECTORS(uchar, unsigned char, 1, 2, 1, 4)
AI_VECTORS(short, short, 2, 4, 2, 8)
AI_VECTORS(ushort, unsigned short, 2, 4, 2, 8)
AI_VECTORS(int, int, 4, 8, 4, 16)
AI_VECTORS(uint, unsigned int, 4, 8, 4, 16)
AI_VECTORS(long, long, 8, 16, 8, 16)
AI_VECTORS(ulong, unsigned long, 8, 16, 8, 16)
AI_VECTORS(longlong, long long, 8, 16, 8, 16)
AI_VECTORS(ulonglong, unsigned long long, 8, 16, 8, 16)
AI_VECTORS(float, float, 4, 8, 4, 16)
AI_VECTORS(double, double, 8, 16, 8, 16)
#undef AI_VECTORS
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
};
extern const __attribute__((device)) uint3 threadIdx, blockIdx;
extern const __attribute__((device)) dim3 blockDim, gridDim;
extern const __attribute__((device)) int warpSize;
