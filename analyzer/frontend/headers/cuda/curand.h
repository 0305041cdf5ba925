#pragma once
typedef struct curandGenerator_st *curandGenerator_t;
enum curandStatus { CURAND_STATUS_SUCCESS = 0 };
typedef curandStatus curandStatus_t;
enum curandRngType {
  CURAND_RNG_PSEUDO_DEFAULT = 100, CURAND_RNG_PSEUDO_XORWOW = 101, CURAND_RNG_PSEUDO_MRG32K3A = 121,
  CURAND_RNG_PSEUDO_MTGP32 = 141, CURAND_RNG_PSEUDO_MT19937 = 142, CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161,
  CURAND_RNG_QUASI_DEFAULT = 200, CURAND_RNG_QUASI_SOBOL32 = 201
};
typedef curandRngType curandRngType_t;
enum curandOrdering { CURAND_ORDERING_PSEUDO_BEST = 100, CURAND_ORDERING_PSEUDO_DEFAULT = 101 };
typedef curandOrdering curandOrdering_t;
#define AI_CALL(name) template <class... A> curandStatus_t name(A &&...);
AI_CALL(curandCreateGenerator) AI_CALL(curandCreateGeneratorHost) AI_CALL(curandDestroyGenerator)
AI_CALL(curandSetPseudoRandomGeneratorSeed) AI_CALL(curandSetGeneratorOffset) AI_CALL(curandSetGeneratorOrdering)
AI_CALL(curandSetStream) AI_CALL(curandGenerate) AI_CALL(curandGenerateUniform) AI_CALL(curandGenerateUniformDouble)
AI_CALL(curandGenerateNormal) AI_CALL(curandGenerateNormalDouble) AI_CALL(curandGeneratePoisson)
#undef AI_CALL
