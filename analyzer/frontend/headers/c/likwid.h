#pragma once
#include <likwid-marker.h>
