/* Butterflies of a mixed-radix Fourier transform, in place, with products of complex numbers by hand. */
typedef struct { float r, i; } complex;
#define TIMES(m, a, b) do { (m).r = (a).r*(b).r - (a).i*(b).i; (m).i = (a).r*(b).i + (a).i*(b).r; } while (0)
#define PLUS(m, a, b) do { (m).r = (a).r + (b).r; (m).i = (a).i + (b).i; } while (0)
#define MINUS(m, a, b) do { (m).r = (a).r - (b).r; (m).i = (a).i - (b).i; } while (0)
void radix2(complex *x, int stride, const complex *w, int m) {
  complex *upper = x + m, t;
  do {
    TIMES(t, *upper, *w);
    w += stride;
    MINUS(*upper, *x, t);
    PLUS(*x, *x, t);
    ++upper;
    ++x;
  } while (--m);
}
void radix4(complex *x, int stride, const complex *w, int m, int inverse) {
  const complex *w1 = w, *w2 = w, *w3 = w;
  complex s[6];
  int k = m;
  do {
    TIMES(s[0], x[m], *w1);
    TIMES(s[1], x[2*m], *w2);
    TIMES(s[2], x[3*m], *w3);
    MINUS(s[5], *x, s[1]);
    PLUS(*x, *x, s[1]);
    PLUS(s[3], s[0], s[2]);
    MINUS(s[4], s[0], s[2]);
    MINUS(x[2*m], *x, s[3]);
    w1 += stride;
    w2 += 2*stride;
    w3 += 3*stride;
    PLUS(*x, *x, s[3]);
    if (inverse) {
      x[m].r = s[5].r - s[4].i;
      x[m].i = s[5].i + s[4].r;
      x[3*m].r = s[5].r + s[4].i;
      x[3*m].i = s[5].i - s[4].r;
    } else {
      x[m].r = s[5].r + s[4].i;
      x[m].i = s[5].i - s[4].r;
      x[3*m].r = s[5].r - s[4].i;
      x[3*m].i = s[5].i + s[4].r;
    }
    ++x;
  } while (--k);
}
void radix3(complex *x, int stride, const complex *w, int m, float sine) {
  complex t, u, s, d;
  for (int k = 0; k < m; k++) {
    TIMES(t, x[k + m], w[k*stride]);
    TIMES(u, x[k + 2*m], w[2*k*stride]);
    PLUS(s, t, u);
    MINUS(d, t, u);
    x[k + m].r = x[k].r - 0.5f*s.r;
    x[k + m].i = x[k].i - 0.5f*s.i;
    d.r *= sine;
    d.i *= sine;
    PLUS(x[k], x[k], s);
    x[k + 2*m].r = x[k + m].r + d.i;
    x[k + 2*m].i = x[k + m].i - d.r;
    x[k + m].r -= d.i;
    x[k + m].i += d.r;
  }
}
void radix5(complex *x, int stride, const complex *w, int m, complex a, complex b) {
  complex t[5], s14, d14, s23, d23, p, q;
  for (int k = 0; k < m; k++) {
    for (int j = 1; j < 5; j++) TIMES(t[j], x[k + j*m], w[j*k*stride]);
    PLUS(s14, t[1], t[4]);
    MINUS(d14, t[1], t[4]);
    PLUS(s23, t[2], t[3]);
    MINUS(d23, t[2], t[3]);
    p.r = x[k].r + s14.r*a.r + s23.r*b.r;
    p.i = x[k].i + s14.i*a.r + s23.i*b.r;
    q.r = d14.i*a.i + d23.i*b.i;
    q.i = d14.r*a.i + d23.r*b.i;
    x[k + m].r = p.r - q.r;
    x[k + m].i = p.i + q.i;
    x[k + 4*m].r = p.r + q.r;
    x[k + 4*m].i = p.i - q.i;
    p.r = x[k].r + s14.r*b.r + s23.r*a.r;
    p.i = x[k].i + s14.i*b.r + s23.i*a.r;
    q.r = d23.i*a.i - d14.i*b.i;
    q.i = d14.r*b.i - d23.r*a.i;
    x[k + 2*m].r = p.r + q.r;
    x[k + 2*m].i = p.i + q.i;
    x[k + 3*m].r = p.r - q.r;
    x[k + 3*m].i = p.i - q.i;
    x[k].r += s14.r + s23.r;
    x[k].i += s14.i + s23.i;
  }
}
