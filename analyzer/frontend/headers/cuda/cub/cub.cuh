#pragma once
#include <ai_cub.h>
