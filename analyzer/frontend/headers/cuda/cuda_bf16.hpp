#pragma once
#include <ai_half.h>
