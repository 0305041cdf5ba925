#pragma once
#include <cub/ai_cub.h>
