#pragma once
// What the samples of CUDA share: checks, options of the form --name=value, and timers.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#define AI_HELPER __ai_model static inline
#define checkCudaErrors(given) ((void)(given))
#define getLastCudaError(text) ((void)(text))
#define printLastCudaError(text) ((void)(text))
#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
AI_HELPER const char *ai_option(int argc, const char **argv, const char *name) {
  size_t length = strlen(name);
  for (int i = 1; i < argc; i++) {
    const char *word = argv[i];
    while (*word == '-') word++;
    if (strncmp(word, name, length) == 0 && (word[length] == '=' || word[length] == 0)) return word + length;
  }
  return 0;
}
AI_HELPER bool checkCmdLineFlag(int argc, const char **argv, const char *name) { return ai_option(argc, argv, name) != 0; }
AI_HELPER int getCmdLineArgumentInt(int argc, const char **argv, const char *name) {
  const char *found = ai_option(argc, argv, name);
  return found && found[0] == '=' ? atoi(found + 1) : 0;
}
AI_HELPER float getCmdLineArgumentFloat(int argc, const char **argv, const char *name) {
  const char *found = ai_option(argc, argv, name);
  return found && found[0] == '=' ? (float)atof(found + 1) : 0.0f;
}
AI_HELPER bool getCmdLineArgumentString(int argc, const char **argv, const char *name, char **value) {
  const char *found = ai_option(argc, argv, name);
  *value = found && found[0] == '=' ? (char *)found + 1 : 0;
  return found != 0;
}
template <class T> bool getCmdLineArgumentValue(int, const char **, const char *, T *);
AI_HELPER int findCudaDevice(int, const char **) { return 0; }
AI_HELPER int gpuGetMaxGflopsDeviceId() { return 0; }
AI_HELPER int gpuDeviceInit(int device) { return device; }
AI_HELPER bool checkCudaCapabilities(int, int) { return true; }
int _ConvertSMVer2Cores(int, int);
const char *_ConvertSMVer2ArchName(int, int);
char *sdkFindFilePath(const char *, const char *);
class StopWatchInterface;
AI_HELPER bool sdkCreateTimer(StopWatchInterface **) { return true; }
AI_HELPER bool sdkDeleteTimer(StopWatchInterface **) { return true; }
AI_HELPER bool sdkStartTimer(StopWatchInterface **) { return true; }
AI_HELPER bool sdkStopTimer(StopWatchInterface **) { return true; }
AI_HELPER bool sdkResetTimer(StopWatchInterface **) { return true; }
float sdkGetTimerValue(StopWatchInterface **);
float sdkGetAverageTimerValue(StopWatchInterface **);
template <class T> bool sdkLoadPGM(const char *, T **, unsigned *, unsigned *);
template <class T> bool sdkSavePGM(const char *, T *, unsigned, unsigned);
template <class T> bool sdkLoadPPM4(const char *, T **, unsigned *, unsigned *);
template <class T> bool sdkSavePPM4ub(const char *, T *, unsigned, unsigned);
template <class T> bool sdkReadFile(const char *, T **, unsigned *, bool);
template <class T> bool sdkCompareL2fe(const T *, const T *, unsigned, float);
template <class... A> bool compareData(A...);
#undef AI_HELPER
