#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Bodies {
  std::vector<float> x, y, z, vx, vy, vz, m;
  explicit Bodies(int n) : x(n), y(n), z(n), vx(n, 0.f), vy(n, 0.f), vz(n, 0.f), m(n, 1.f) {}
  int size() const { return static_cast<int>(x.size()); }
};

class Simulation {
public:
  Simulation(int n, float dt) : bodies_(n), dt_(dt) {
    for (int i = 0; i < n; ++i) {
      bodies_.x[i] = std::rand() / float(RAND_MAX);
      bodies_.y[i] = std::rand() / float(RAND_MAX);
      bodies_.z[i] = std::rand() / float(RAND_MAX);
    }
  }

  void step() {
    const int n = bodies_.size();
    for (int i = 0; i < n; ++i) {
      float fx = 0, fy = 0, fz = 0;
      for (int j = 0; j < n; ++j) {
        float dx = bodies_.x[j] - bodies_.x[i];
        float dy = bodies_.y[j] - bodies_.y[i];
        float dz = bodies_.z[j] - bodies_.z[i];
        float r2 = dx * dx + dy * dy + dz * dz + 1e-9f;
        float inv = 1.0f / std::sqrt(r2);
        float s = bodies_.m[j] * inv * inv * inv;
        fx += s * dx;
        fy += s * dy;
        fz += s * dz;
      }
      bodies_.vx[i] += dt_ * fx;
      bodies_.vy[i] += dt_ * fy;
      bodies_.vz[i] += dt_ * fz;
    }
    for (int i = 0; i < n; ++i) {
      bodies_.x[i] += dt_ * bodies_.vx[i];
      bodies_.y[i] += dt_ * bodies_.vy[i];
      bodies_.z[i] += dt_ * bodies_.vz[i];
    }
  }

  double energy() const {
    double e = 0;
    for (int i = 0; i < bodies_.size(); ++i)
      e += 0.5 * bodies_.m[i] *
           (bodies_.vx[i] * bodies_.vx[i] + bodies_.vy[i] * bodies_.vy[i] + bodies_.vz[i] * bodies_.vz[i]);
    return e;
  }

private:
  Bodies bodies_;
  float dt_;
};

int main(int argc, char **argv) {
  int n = argc > 1 ? std::atoi(argv[1]) : 16384;
  int steps = argc > 2 ? std::atoi(argv[2]) : 10;
  Simulation sim(n, 0.01f);
  for (int s = 0; s < steps; ++s) {
    sim.step();
    if (s % 5 == 0) std::printf("step %d energy %g\n", s, sim.energy());
  }
  std::printf("final energy %g\n", sim.energy());
}
