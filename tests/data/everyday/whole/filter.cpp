#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

class Image {
public:
  Image(int w, int h) : w_(w), h_(h), data_(static_cast<size_t>(w) * h) {}
  float &operator()(int x, int y) { return data_[static_cast<size_t>(y) * w_ + x]; }
  float operator()(int x, int y) const { return data_[static_cast<size_t>(y) * w_ + x]; }
  float clamped(int x, int y) const {
    x = std::max(0, std::min(x, w_ - 1));
    y = std::max(0, std::min(y, h_ - 1));
    return (*this)(x, y);
  }
  int width() const { return w_; }
  int height() const { return h_; }

private:
  int w_, h_;
  std::vector<float> data_;
};

void blur_rows(const Image &in, Image &out, const std::vector<float> &kernel) {
  const int r = static_cast<int>(kernel.size()) / 2;
  for (int y = 0; y < in.height(); ++y)
    for (int x = 0; x < in.width(); ++x) {
      float sum = 0;
      for (int k = -r; k <= r; ++k) sum += kernel[k + r] * in.clamped(x + k, y);
      out(x, y) = sum;
    }
}

void blur_columns(const Image &in, Image &out, const std::vector<float> &kernel) {
  const int r = static_cast<int>(kernel.size()) / 2;
  for (int y = 0; y < in.height(); ++y)
    for (int x = 0; x < in.width(); ++x) {
      float sum = 0;
      for (int k = -r; k <= r; ++k) sum += kernel[k + r] * in.clamped(x, y + k);
      out(x, y) = sum;
    }
}

void sobel(const Image &in, Image &out) {
  for (int y = 1; y < in.height() - 1; ++y)
    for (int x = 1; x < in.width() - 1; ++x) {
      float gx = in(x + 1, y - 1) + 2 * in(x + 1, y) + in(x + 1, y + 1) - in(x - 1, y - 1) - 2 * in(x - 1, y) -
                 in(x - 1, y + 1);
      float gy = in(x - 1, y + 1) + 2 * in(x, y + 1) + in(x + 1, y + 1) - in(x - 1, y - 1) - 2 * in(x, y - 1) -
                 in(x + 1, y - 1);
      out(x, y) = std::sqrt(gx * gx + gy * gy);
    }
}

long threshold(Image &im, float t) {
  long white = 0;
  for (int y = 0; y < im.height(); ++y)
    for (int x = 0; x < im.width(); ++x) {
      bool on = im(x, y) > t;
      im(x, y) = on ? 1.0f : 0.0f;
      white += on;
    }
  return white;
}

int main(int argc, char **argv) {
  int w = argc > 1 ? std::atoi(argv[1]) : 4096, h = argc > 2 ? std::atoi(argv[2]) : 4096;
  Image src(w, h), tmp(w, h), dst(w, h);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) src(x, y) = (x ^ y) & 255;
  std::vector<float> kernel{0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
  blur_rows(src, tmp, kernel);
  blur_columns(tmp, dst, kernel);
  sobel(dst, tmp);
  std::printf("white pixels %ld\n", threshold(tmp, 20.0f));
  return 0;
}
