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
