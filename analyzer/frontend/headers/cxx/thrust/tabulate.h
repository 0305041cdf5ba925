#pragma once
#include <thrust/ai_thrust.h>
