#pragma once
#include <cstddef>
namespace RAJA {
using Index_type = std::ptrdiff_t;
using Real_type = double;
using Real_ptr = Real_type *;
using const_Real_ptr = const Real_type *;
}
