#pragma once
// Regions to measure do no work of their own.
#define LIKWID_MARKER_INIT
#define LIKWID_MARKER_THREADINIT
#define LIKWID_MARKER_SWITCH
#define LIKWID_MARKER_REGISTER(name)
#define LIKWID_MARKER_START(name)
#define LIKWID_MARKER_STOP(name)
#define LIKWID_MARKER_CLOSE
#define LIKWID_MARKER_RESET(name)
#define LIKWID_MARKER_GET(name, events, values, time, count)
