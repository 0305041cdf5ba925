"""Kernels that host code launches from a table: instances of templates are chosen where only a list names them."""

from roofline import estimate, source_text

KERNEL = """
template <int U> __global__ void scale(float *a, int n) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * U;
  for (int k = 0; k < U; k++) if (i + k < n) a[i + k] *= 2.0f;
}
typedef void (*Kernel)(float *, int);
struct Variant { const char *name; int per; Kernel kernel; };
"""
ARRAY = """
int main() {
  int n = 1 << 20; float *a; cudaMalloc(&a, n * 4);
  Kernel kernels[] = {scale<1>, &scale<2>, & scale<4>};
  int per[] = {1, 2, 4};
  for (int v = 0; v < 3; v++) kernels[v]<<<n / per[v] / 256, 256>>>(a, n);
}
"""
STRUCTS = """
static const Variant variants[] = {{"one", 1, scale<1>}, {"two", 2, scale<2>}, {"four", 4, &scale<4>}};
int main() {
  int n = 1 << 20; float *a; cudaMalloc(&a, n * 4);
  for (const Variant &v : variants) v.kernel<<<n / v.per / 256, 256>>>(a, n);
}
"""
DEDUCED = """
template <class T> __global__ void both(T *a, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) a[i] += T(1);
}
int main() {
  int n = 1 << 20; float *a; cudaMalloc(&a, n * 4);
  void (*list[])(float *, int) = {both};
  both<<<n / 256, 256>>>(a, n);
}
"""


def _flops(text: str) -> dict[str, int]:
    report = estimate(source_text(KERNEL + text, "table.cu"), machines="a100")
    return {region.profile.name: region.flops.value for region in report.regions}


def test_kernels_of_a_table_are_launched() -> None:
    launched = {f"scale<{u}>": 1 << 20 for u in (1, 2, 4)}
    assert _flops(ARRAY) == launched
    assert _flops(STRUCTS) == launched


def test_a_list_that_only_types_choose_from_breaks_nothing() -> None:
    assert _flops(DEDUCED)["both<float>"] == 1 << 20
