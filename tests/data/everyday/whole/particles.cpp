#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

struct Vec3 {
  double x, y, z;
  Vec3 operator+(const Vec3 &o) const { return {x + o.x, y + o.y, z + o.z}; }
  Vec3 operator*(double s) const { return {x * s, y * s, z * s}; }
  Vec3 &operator+=(const Vec3 &o) {
    x += o.x;
    y += o.y;
    z += o.z;
    return *this;
  }
  double norm2() const { return x * x + y * y + z * z; }
};

struct Particle {
  Vec3 pos, vel;
  double mass, charge;
};

struct ParticlesSoA {
  std::unique_ptr<double[]> px, py, pz, vx, vy, vz;
  explicit ParticlesSoA(size_t n)
      : px(new double[n]), py(new double[n]), pz(new double[n]), vx(new double[n]), vy(new double[n]), vz(new double[n]) {}
};

void push_aos(std::vector<Particle> &ps, const Vec3 &g, double dt) {
  for (auto &p : ps) {
    p.vel += g * dt;
    p.pos += p.vel * dt;
  }
}

void push_soa(ParticlesSoA &ps, size_t n, const Vec3 &g, double dt) {
  for (size_t i = 0; i < n; ++i) {
    ps.vx[i] += g.x * dt;
    ps.vy[i] += g.y * dt;
    ps.vz[i] += g.z * dt;
    ps.px[i] += ps.vx[i] * dt;
    ps.py[i] += ps.vy[i] * dt;
    ps.pz[i] += ps.vz[i] * dt;
  }
}

double kinetic(const std::vector<Particle> &ps) {
  double e = 0;
  for (const auto &p : ps) e += 0.5 * p.mass * p.vel.norm2();
  return e;
}

int main(int argc, char **argv) {
  size_t n = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 5000000;
  const int steps = 20;
  std::vector<Particle> aos(n);
  ParticlesSoA soa(n);
  for (size_t i = 0; i < n; ++i) {
    aos[i] = Particle{{double(i), 0, 0}, {0, 1, 0}, 1.0, -1.0};
    soa.px[i] = i;
    soa.py[i] = soa.pz[i] = 0;
    soa.vx[i] = soa.vz[i] = 0;
    soa.vy[i] = 1;
  }
  const Vec3 g{0, 0, -9.81};
  for (int s = 0; s < steps; ++s) {
    push_aos(aos, g, 1e-3);
    push_soa(soa, n, g, 1e-3);
  }
  std::printf("kinetic energy %g, z %g %g\n", kinetic(aos), aos[0].pos.z, soa.pz[0]);
}
