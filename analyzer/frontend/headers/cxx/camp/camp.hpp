#pragma once
#include <camp/list.hpp>
#include <camp/number.hpp>
#include <cstddef>
#include <tuple>
namespace camp {
using std::get;
using std::make_tuple;
using std::tuple;
}
