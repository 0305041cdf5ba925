#pragma once
#include <ai_async.h>
