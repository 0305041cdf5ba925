#pragma once
#include <ai_std>
