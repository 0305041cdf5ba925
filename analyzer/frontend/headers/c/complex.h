#pragma once
#define complex _Complex
#define _Complex_I (__extension__ 1.0fi)
#define I _Complex_I
#define CMPLX(x, y) __builtin_complex((double)(x), (double)(y))
#define CMPLXF(x, y) __builtin_complex((float)(x), (float)(y))
#define AI_COMPLEX(name) double _Complex name(double _Complex); float _Complex name##f(float _Complex);
#define AI_REAL(name) double name(double _Complex); float name##f(float _Complex);
AI_COMPLEX(cacos) AI_COMPLEX(casin) AI_COMPLEX(catan) AI_COMPLEX(ccos) AI_COMPLEX(csin) AI_COMPLEX(ctan)
AI_COMPLEX(ccosh) AI_COMPLEX(csinh) AI_COMPLEX(ctanh) AI_COMPLEX(cexp) AI_COMPLEX(clog) AI_COMPLEX(csqrt)
AI_COMPLEX(conj) AI_COMPLEX(cproj) AI_REAL(cabs) AI_REAL(carg) AI_REAL(creal) AI_REAL(cimag)
#undef AI_COMPLEX
#undef AI_REAL
double _Complex cpow(double _Complex, double _Complex);
float _Complex cpowf(float _Complex, float _Complex);
