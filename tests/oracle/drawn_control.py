"""Control flow of drawn functions: loops, jumps and whole numbers as C++ programs have them, for :mod:`.drawn_cxx`.

Jumps out of nests, loops that `switch` enters, counters without a sign that wrap around or count down, conditions and
commas with side effects, pointers that walk, bits of counters and sizes, arrays that a condition selects.
"""

from __future__ import annotations

CONTROL_CLASSES = """
enum class Phase { Load, Work, Store };
inline Phase after_phase(Phase p) { switch (p) { case Phase::Load: return Phase::Work; case Phase::Work: return
    Phase::Store; default: return Phase::Load; } }
struct Stack { real d[32]; int top = 0; void push(real v) { d[top++] = v; } real pop() { return d[--top]; }
    bool empty() const { return top == 0; } };
inline int digits(unsigned v) { int k = 0; while (v) { v /= 10; k++; } return k; }
inline unsigned below_power(unsigned v) { unsigned p = 1; while (p < v) p $left$= 1; return p; }
inline bool even(int k);
inline bool odd(int k) { return k == 0 ? false : even(k - 1); }
inline bool even(int k) { return k == 0 ? true : odd(k - 1); }
inline int counted_up() { static int calls = 0; return ++calls; }
inline real* chosen_row(real* p, real* q, int k) { if (k % 2) return q; return p; }
inline void settle(real* p, int n, int k) { if (k < 0) return; for (int i = 0; i < n; i++) { if (i > k) return; p[i]
    += 1; } }
"""

CONTROL = [
    "int i = n;\ndo { @at@ = @real@; } while (--i > 0);",
    """int i = 0;
switch (n % 4) { case 3: a[i++] += x; [[fallthrough]]; case 2: a[i++] += x; [[fallthrough]]; case 1: a[i++] += x; }
for (; i < n; i += 4) { a[i] += x; a[i + 1] += x; a[i + 2] <<+=|*=>> x; a[i + 3] += x; }""",
    """[&] { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { if (<<i * m + j == 7|i + j > 6|i == 3>>) goto
    out;
    a[i] += b[j]; }
out: b[0] = x; }();""",
    "[&] { int i = 0; again: a[i] += x; if (++i < n) goto again; }();",
    """[&] { int i = 0, j;
next: if (i >= n) return; j = 0;
inner: if (j < m) { a[i] += b[j]; j++; goto inner; } i++; goto next; }();""",
    """[&] { @for@ { for (int j = 0; j < m; j++) { if (j == i) goto next; a[j] += x; } b[i] *= x; next:; } }();""",
    "for (int i = 0, j = n; i < j; i++, j--) a[i] += (b[j] *= x, b[i]);",
    "int i = 0;\nwhile (a[i] *= x, ++i < n);",
    """int i = 0, k = 0;
while (i < n && k++ < m) { a[i] += x; i += <<1|2>>; }
b[k] = x;""",
    "int i = 0;\nfor (; i++ < n;) a[i] <<=|+=>> x;",
    "int k = 0;\n@one@ if (++k % 3 == 0 or i > m) a[i] += x;",
    "for (int i = 0; i < n and i != m; i++) @at@ = @real@;",
    "for (unsigned i = n - 1u; i < unsigned(n); i--) a[i] *= x;",
    "for (unsigned k = 0; k < 6u; k++) if (k - 2u < <<3u|2u>>) a[k] += x;",
    "for (std::size_t i = n; i --> 0;) a[i] += b[i] * x;",
    "for (unsigned char k = 250; k >= 250; k++) a[k - 250] += x;",
    "for (unsigned i = n; i != 0u; --i) a[i - 1] <<+=|*=>> x;\nfor (int i = n; i >= 0; i -= 3) b[i] += x;",
    "for (unsigned i = 0; i + 1 < unsigned(n); i++) a[i] = b[i] - b[i + 1];",
    "unsigned k = 0;\nk -= 1;\nif (k > 1000u) @one@ a[i] += x; else b[0] = x;",
    """const unsigned size = n, other = m;
if (size - other > 100u) @one@ a[i] += x; else @one@ b[i] *= x;""",
    "real* p = <<m > 4 ? a : b|n > m ? a : m > 3 ? b : c>>;\n@one@ p[i] += x;",
    "@for@ (n > m ? a : m > 3 ? b : c)[i] += x;",
    """OTHERS_IN_MEMORY;
real* all[] = {a, b, c};
@one@ c[i] <<=|+=>> all[i % 3][i] * x;
for (real* p : all) p[1] = x;""",
    "@for@ chosen_row(a, b, <<i|n|i + m>>)[i] += x;",
    "OTHERS_IN_MEMORY;\n@for@ { static int calls = 0; calls++; a[i] += x; }\n(void)counted_up();",
    "static const real w[4] = {1, 2, 2, 1};\n@one@ b[i] += w[<<i % 4|i & 3>>] * x;",
    "const real* p = a; real* q = b;\nwhile (p != a + n) *q++ = *p++ * x;",
    "real* p = a + n;\nwhile (p > a) *--p <<+=|*=>> x;",
    "real *p = a, *q = b;\nfor (int k = n; k--;) *p++ += *q++;",
    "for (const real *p = b, *e = b + n; p < e; p += 2) a[p - b] += *p;",
    "real* p = a;\n@one@ { p += 2; *p = x; p--; *p++ += x; }",
    "real* p = a;\nfor (int i = 0; i < n; i++, p += m) for (int j = 0; j < m; j++) p[j] += x;",
    """real *p = a, *e = a + n;
for (; e - p >= 4; p += 4) { p[0] += x; p[1] += x; p[2] += x; p[3] += x; }
while (p < e) *p++ += x;""",
    "int i = 0;\nfor (; i + 4 <= n; i += 4) { a[i] += x; a[i + 3] *= x; }\nfor (; i < n; i++) a[i] += x;",
    """const int whole_ones = n / 4 * 4;
for (int i = 0; i < whole_ones; i += 4) for (int k = 0; k < 4; k++) a[i + k] += x;
for (int i = whole_ones; i < n; i++) a[i] += x;""",
    "for (int k = 0; k < 4; k++) if (n >> k & 1) a[k] += x;",
    "@one@ a[<<i ^ 1|i & ~1|i bitor 1>>] += b[i] * x;",
    "@one@ a[i ^ (i >> 1)] += b[i] * x;",
    "int size = 1;\nwhile (size < n) size $left$= 1;\nfor (int i = 0; i < size; i++) a[i] += x;",
    "for (unsigned i = 0; i < below_power(n); i++) a[i] += x;",
    """for (int mask = 0; mask < 8; mask++) { real s = 0; for (int k = 0; k < 3; k++) if (mask >> k & 1) s += a[k];
    c[mask] = s; }""",
    "if ((n & (n - 1)) == 0) @one@ a[i] += x; else @one@ b[i] *= x;",
    "for (int s = 1; s < n; s $left$= 1) for (int i = 0; i < n; i++) if (i & s) a[i] += a[i ^ s];",
    "for (int s = <<16|m>>; s; s >>= 1) for (int i = 0; i < s; i++) a[i] += a[i + s];",
    "for (int i = 0; i < 1 $left$ <<3|(m & 3)>>; i++) a[i] += x;",
    """bool done = false;
for (int i = 0; i < n && !done; i++) for (int j = 0; j < m; j++) { if (j > i + 1) break; if (i == 4) { done = true;
    break; } a[j] += x; }""",
    "for (int i = 0; i < n; i++) { a[i] += x; if (i % 3 == 0) i++; }",
    "int j = 0;\n@one@ { a[j] += x; if (<<i % 2|i % 3 == 1>>) j++; }\nfor (int k = 0; k < j; k++) b[k] = x;",
    "int i = 0;\nwhile (true) { if (i >= n) break; if (i % 2) { i++; continue; } a[i] += x; <<i++|i += 3>>; }",
    "if (int k = n - m; k > 0) for (int i = 0; i < k; i++) a[i] += x; else b[0] = x * k;",
    """switch (int k = n % 3; k) { default: a[0] += x; break; case 1: @one@ a[i] *= x; break; case 2: { real t = x *
    x; b[0] = t; } }""",
    "for (int k = 0; auto& v : std::span(a, n)) v += k++ * x;",
    """@for@ switch (i % 5) { default: a[i] += x; case 0: b[i] += x; break; case 3: switch (m % 2) { case 0: c[i] +=
    x; break;
    default: c[i] *= x; } continue; case 4: break; }""",
    "@for@ switch (i) { case 0 ... 2: a[i] += x; break; case 5: a[i] *= x; }",
    """Phase p = Phase::Load; real held = 0;
@one@ { switch (p) { case Phase::Load: held = a[i]; break; case Phase::Work: held *= x; break; case Phase::Store: b[i]
    = held;
    } p = after_phase(p); }""",
    """int state = 0;
@one@ { if (state == 0) a[i] += x; else if (state == 1) a[i] *= x; state = (state + 1) % 3; }""",
    """Stack s; IN_MEMORY(s.d);
for (int i = 0; i < <<6|n>>; i++) s.push(a[i]);
real t = 0;
while (!s.empty()) t += s.pop();
@top@ = t;""",
    "settle(a, n, <<m|n|4>>);\nsettle(b, m, m - 3);",
    """int first = 0;
for (int i = 0; i < n; i++) { if (first == i) { first += 2; a[i] += x; continue; } b[i] += x; }""",
    """for (int i = 0; i < n; i += 2) for (int j = i; j < std::min(i + 2, n); j++) for (int k = j; k <= i + 1; k++)
    a[k] += b[j];""",
    "for (int i = 0; i * i < n; i++) a[i] += x;\nfor (int i = 1; i < n; i *= 3) b[i] *= x;",
    "for (int k = 0; k < n * m; k++) { const int i = k / m, j = k % m; if (j <= i) a[k] += b[i] * c[j]; }",
    """for (int k = 0; k < n * m; k++) { int i = k / m, j = k % m;
    if (i == 0 or j == 0 or i == n - 1 or j == m - 1) continue; b[k] = a[k - 1] + a[k + 1] + a[k - m] + a[k + m]; }""",
    "for (int k = 0; k < n * m; k++) { int i = k % n; for (int l = 0; l < i; l++) a[k] += b[k / n]; }",
    """int i = 0, j = 0;
while (i < n) { a[i * m + j] += x; if (++j == m) { j = 0; i++; } }""",
    "for (int i = 0; i < n; ++i) { int j = i; while (j > 0) { a[j] += x; j = (j - 1) / 2; } }",
    "long long total = 0;\nfor (int i = 0; i < n; i++) total += i;\nfor (long long k = 0; k < total; k++) a[k] += x;",
    "int count = 0;\nfor (int i = 0; i < n; i++) for (int j = 0; j < i; j++) count += (i + j) % 2 == 0;\n"
    "for (int k = 0; k < count; k++) a[k] += x;",
    """int count = 0;
for (int i = 0; i < n; i++) if (i % 2 == 0) c[count++] = a[i] * x;
for (int i = 0; i < count; i++) b[i] += c[i];""",
    "int last = -1;\n@one@ if (i % 4 == 0) last = i;\nfor (int i = 0; i <= last; i++) a[i] += x;",
    "int i = n;\nwhile (i) { i -= (i > 3) ? 3 : 1; a[i] += x; }",
    """for (int t = 0; t < 2 * n - 1; t++) for (int i = std::max(0, t - n + 1); i <= std::min(t, n - 1); i++) a[i] +=
    b[t - i];""",
    "for (int i = 0; i < n; i++) { if (i < 1 or i >= n - 1) { b[i] = a[i]; continue; } b[i] = a[i - 1] + a[i + 1]; }",
    """const bool big = n > m, tall = m > 4;
@one@ { if (big && i % 2) a[i] += x; if (tall or !big) b[i] *= x; if (big == tall) c[i] = x; }""",
    """const int kind = n > m ? 0 : m > 8 ? 1 : 2;
@one@ if (kind == 0) a[i] += x; else if (kind == 1) a[i] *= x; else a[i] = x;""",
    "int i = 0;\nif (m > 4) i = 2;\nfor (; i < n; i++) a[i] += x;",
    "int step = m > 4 ? 2 : 1;\nfor (int i = 0; i < n; i += step) a[i] += x;",
    "for (int i = 0; i < (n > 5 ? n - 5 : n); i++) a[i] += x;",
    "int k = n;\nk += k > 3 ? -2 : 1;\nk = -k;\nfor (int i = k; i < 0; i++) a[i] += x;",
    "int i = 0;\ndo { if (i == 2) continue; a[i] += x; } while (++i < n);",
    "do { if (n < 3) break; @one@ a[i] += x; if (m < 5) break; @one@ b[i] += x; } while (0);",
    """for (int i = 0; i < n; i++) { int left = i, right = n - 1 - i; if (left < right) std::swap(left, right);
    a[left] += x * b[right]; }""",
]

UNUSUAL = [
    """int left = (n + 3) / 4, i = 0;
if (n > 0) switch (n % 4) { case 0: do { a[i++] *= x; case 3: a[i++] *= x; case 2: a[i++] *= x; case 1: a[i++] *= x; }
    while (--left > 0); }""",
    "for (unsigned k = n; k; k &= k - 1) a[k] += x;",
    "for (int i = 0, step = 1; i < n; i += step, step++) a[i] += x;",
    """int low = 0, high = n;
while (low < high) { const int mid = low + (high - low) / 2; a[mid] += x; if (mid < m) low = mid + 1; else high = mid;
    }""",
    """int p = n, q = m;
while (q) { int t = p % q; p = q; q = t; }
for (int i = 0; i < p; i++) a[i] += x;""",
    "for (int i = 0; i < digits(<<1234u|unsigned(n)>>); i++) a[i] += x;",
    "@one@ if (<<even(4)|odd(3)>>) a[i] += x; else a[i] *= x;",
    "for (int i = 1; i <= n; i++) for (int j = i; j <= n; j += i) a[j] += x;",
]
"""Trip counts that are no formula of the sizes: bits, common divisors, digits, bisection, jumps into loops."""
