/* Two layers of a transformer on the CPU. */
#include <math.h>
void matmul(float *out, const float *inp, const float *weight, const float *bias, int B, int T, int C, int OC) {
  for (int b = 0; b < B; b++)
    for (int t = 0; t < T; t++)
      for (int o = 0; o < OC; o++) {
        float sum = bias[o];
        for (int i = 0; i < C; i++) sum += inp[(b*T + t)*C + i] * weight[o*C + i];
        out[(b*T + t)*OC + o] = sum;
      }
}
void attention(float *out, float *pre, float *att, const float *inp, int B, int T, int H, int S) {
  float scale = 1.0f / sqrtf(S);
  for (int b = 0; b < B; b++)
    for (int t = 0; t < T; t++)
      for (int h = 0; h < H; h++) {
        const float *q = inp + b*T*3*H*S + t*3*H*S + h*S;
        float *p = pre + b*H*T*T + h*T*T + t*T, *a = att + b*H*T*T + h*T*T + t*T;
        float most = -10000.0f, sum = 0.0f;
        for (int u = 0; u <= t; u++) {
          const float *k = inp + b*T*3*H*S + u*3*H*S + h*S + H*S;
          float dot = 0.0f;
          for (int i = 0; i < S; i++) dot += q[i] * k[i];
          dot *= scale;
          if (dot > most) most = dot;
          p[u] = dot;
        }
        for (int u = 0; u <= t; u++) {
          float e = expf(p[u] - most);
          sum += e;
          a[u] = e;
        }
        float inverse = sum == 0.0f ? 0.0f : 1.0f / sum;
        for (int u = 0; u < T; u++)
          if (u <= t) a[u] *= inverse;
          else a[u] = 0.0f;
        float *o = out + b*T*H*S + t*H*S + h*S;
        for (int i = 0; i < S; i++) o[i] = 0.0f;
        for (int u = 0; u <= t; u++) {
          const float *v = inp + b*T*3*H*S + u*3*H*S + h*S + 2*H*S;
          for (int i = 0; i < S; i++) o[i] += a[u] * v[i];
        }
      }
}
