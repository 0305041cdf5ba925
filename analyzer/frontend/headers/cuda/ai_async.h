#pragma once
// Asynchronous copies from global to shared memory, as loads and stores of the threads that start them.
#pragma clang force_cuda_host_device begin
template <class T, class U> __ai_model void __ai_copy(T *to, const U *from, size_t bytes) {
  if (bytes == 16) *(int4 *)to = *(const int4 *)from;
  else if (bytes == 8) *(int2 *)to = *(const int2 *)from;
  else if (bytes == 4) *(int *)to = *(const int *)from;
  else for (size_t i = 0; i < bytes / sizeof(T); ++i) to[i] = from[i];
}
template <class T, class U> __ai_model void __ai_copy_together(T *to, const U *from, size_t bytes, unsigned rank, unsigned size) {
  for (unsigned i = rank; i < bytes / sizeof(T); i += size) to[i] = from[i];
}
template <class T, class U> __ai_model void __pipeline_memcpy_async(T *to, const U *from, size_t bytes, size_t zeros = 0) {
  if (zeros < bytes) __ai_copy(to, from, bytes);
  else for (size_t i = 0; i < bytes / sizeof(T); ++i) to[i] = T();
}
__ai_model inline void __pipeline_commit() {}
__ai_model inline void __pipeline_wait_prior(size_t) {}
#pragma clang force_cuda_host_device end
