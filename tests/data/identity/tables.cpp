#include <array>
#include <compare>
#include <cstddef>
template <std::size_t N> constexpr std::array<int, N> offsets() {
    std::array<int, N> made{};
    for (std::size_t i = 0; i < N; i++) made[i] = static_cast<int>(i) - static_cast<int>(N / 2);
    return made;
}
struct Version {
    int major, minor;
    auto operator<=>(const Version &) const = default;
};
struct Distance {
    int steps;
    auto operator<=>(const Distance &other) const { return steps <=> other.steps; }
};
void of_tables(int n, double *a) {
    constexpr auto shift = offsets<3>();
    static_assert(shift[0] == -1);
    for (int i = 1; i <= n; i++) a[i] += a[i + shift[0]];
}
bool is_before(const Distance &p, const Distance &q) { return p < q; }
void compared(int n, double *a) {
    if (Version{1, 2} == Version{1, 2}) a[0] = 0;
    for (int i = 0; i < n; i++) a[i] *= 2;
}
