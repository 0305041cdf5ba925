#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

struct Point {
  double x, y, z;
  int cluster;
};

static double distance2(const Point &a, const Point &b) {
  double dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
  return dx * dx + dy * dy + dz * dz;
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 4000000;
  const int k = 8;
  const int rounds = 10;
  std::mt19937 gen(1);
  std::uniform_real_distribution<double> uni(0.0, 1.0);
  std::vector<Point> points(n);
  for (auto &p : points) {
    p.x = uni(gen);
    p.y = uni(gen);
    p.z = uni(gen);
    p.cluster = -1;
  }
  std::vector<Point> centre(points.begin(), points.begin() + k);
  for (int round = 0; round < rounds; ++round) {
    for (auto &p : points) {
      double best = std::numeric_limits<double>::max();
      for (int c = 0; c < k; ++c) {
        double d = distance2(p, centre[c]);
        if (d < best) {
          best = d;
          p.cluster = c;
        }
      }
    }
    double sx[k] = {}, sy[k] = {}, sz[k] = {};
    int count[k] = {};
    for (const auto &p : points) {
      sx[p.cluster] += p.x;
      sy[p.cluster] += p.y;
      sz[p.cluster] += p.z;
      count[p.cluster]++;
    }
    for (int c = 0; c < k; ++c)
      if (count[c] > 0) {
        centre[c].x = sx[c] / count[c];
        centre[c].y = sy[c] / count[c];
        centre[c].z = sz[c] / count[c];
      }
  }
  double inertia = 0;
  for (const Point &p : points) inertia += distance2(p, centre[p.cluster]);
  std::printf("inertia %f\n", inertia);
}
