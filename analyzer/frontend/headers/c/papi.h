#pragma once
#define PAPI_OK 0
#define PAPI_NULL (-1)
#define PAPI_VER_CURRENT 0
#define PAPI_TOT_CYC 0x3b
#define PAPI_TOT_INS 0x32
#define PAPI_FP_OPS 0x66
#define PAPI_DP_OPS 0x68
#define PAPI_L1_DCM 0
#define PAPI_L2_DCM 2
#define PAPI_L3_TCM 8
int PAPI_library_init(int), PAPI_create_eventset(int *), PAPI_add_event(int, int), PAPI_add_named_event(int, const char *);
int PAPI_start(int), PAPI_stop(int, long long *), PAPI_read(int, long long *), PAPI_reset(int), PAPI_accum(int, long long *);
int PAPI_start_counters(int *, int), PAPI_stop_counters(long long *, int), PAPI_num_counters(void), PAPI_thread_init(unsigned long (*)(void));
int PAPI_hl_region_begin(const char *), PAPI_hl_region_end(const char *);
long long PAPI_get_real_usec(void), PAPI_get_real_cyc(void), PAPI_get_real_nsec(void);
char *PAPI_strerror(int);
void PAPI_shutdown(void);
