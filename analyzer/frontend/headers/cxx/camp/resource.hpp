#pragma once
#include <ai_model.h>
#include <cstddef>
namespace camp {
namespace resources {
enum class Platform { undefined, host, cuda, omp_target, hip, sycl };
struct Resource {
  Resource();
  template <class R> Resource(const R &);
  template <class T> T *allocate(size_t);
  void deallocate(void *);
  void memcpy(void *, const void *, size_t);
  void memset(void *, int, size_t);
  AI_MODEL void wait() {}
  template <class R> R get() const;
};
struct Host : Resource { static Host get_default(); };
struct Cuda : Resource { static Cuda get_default(); };
struct Hip : Resource { static Hip get_default(); };
struct Sycl : Resource { static Sycl get_default(); };
struct Omp : Resource { static Omp get_default(); };
}
}
