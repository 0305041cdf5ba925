#include <cstdio>
#include <cstdlib>
#include <vector>

struct Point {
    double x, y;
};

int main() {
    const int n = 1000000, k = 8, iterations = 20;
    std::vector<Point> points(n);
    std::vector<int> owner(n);
    std::vector<Point> centers(k), sums(k);
    std::vector<int> counts(k);
    for (auto &p : points) {
        p.x = std::rand();
        p.y = std::rand();
    }
    for (int c = 0; c < k; c++)
        centers[c] = points[c];
    for (int it = 0; it < iterations; it++) {
        for (int i = 0; i < n; i++) {
            double best = 1e300;
            int which = 0;
            for (int c = 0; c < k; c++) {
                double dx = points[i].x - centers[c].x;
                double dy = points[i].y - centers[c].y;
                double d = dx * dx + dy * dy;
                if (d < best) {
                    best = d;
                    which = c;
                }
            }
            owner[i] = which;
        }
        for (int c = 0; c < k; c++) {
            sums[c] = {0.0, 0.0};
            counts[c] = 0;
        }
        for (int i = 0; i < n; i++) {
            sums[owner[i]].x += points[i].x;
            sums[owner[i]].y += points[i].y;
            counts[owner[i]]++;
        }
        for (int c = 0; c < k; c++) {
            centers[c].x = sums[c].x / counts[c];
            centers[c].y = sums[c].y / counts[c];
        }
    }
    std::printf("%f %f\n", centers[0].x, centers[0].y);
}
