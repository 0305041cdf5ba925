#include <array>
#include <cstdio>
#include <vector>

using Vec3 = std::array<double, 3>;

void move(std::vector<Vec3> &position, const std::vector<Vec3> &velocity, double dt) {
    for (std::size_t i = 0; i < position.size(); ++i)
        for (int d = 0; d < 3; ++d)
            position[i][d] += velocity[i][d] * dt;
}

double energy(const std::vector<Vec3> &velocity) {
    double total = 0.0;
    for (const Vec3 &v : velocity)
        total += 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    return total;
}

int main() {
    const std::size_t n = 2000000;
    std::vector<Vec3> position(n), velocity(n);
    for (std::size_t i = 0; i < n; ++i)
        for (int d = 0; d < 3; ++d)
            velocity[i][d] = 0.001 * d;
    for (int step = 0; step < 50; ++step)
        move(position, velocity, 0.01);
    std::printf("%g\n", energy(velocity));
}
