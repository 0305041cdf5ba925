#pragma once
#include <ai_model.h>
#include <cstddef>
#include <cstdlib>
namespace RAJA {
AI_MODEL inline void *allocate_aligned(size_t alignment, size_t size) { return aligned_alloc(alignment, size); }
template <class T> AI_MODEL T *allocate_aligned_type(size_t alignment, size_t size) { return (T *)aligned_alloc(alignment, size); }
AI_MODEL inline void free_aligned(void *) {}
}
