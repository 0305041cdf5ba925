#pragma once
typedef struct { void *lock; } omp_lock_t, omp_nest_lock_t;
typedef enum { omp_sched_static = 1, omp_sched_dynamic, omp_sched_guided, omp_sched_auto } omp_sched_t;
typedef enum { omp_proc_bind_false, omp_proc_bind_true, omp_proc_bind_close = 3, omp_proc_bind_spread } omp_proc_bind_t;
int omp_get_thread_num(void), omp_get_num_threads(void), omp_get_max_threads(void), omp_get_num_procs(void);
int omp_in_parallel(void), omp_get_level(void), omp_get_nested(void), omp_get_dynamic(void), omp_get_thread_limit(void);
int omp_get_num_devices(void), omp_get_default_device(void), omp_is_initial_device(void), omp_get_initial_device(void);
int omp_get_team_num(void), omp_get_num_teams(void), omp_get_place_num(void), omp_get_num_places(void);
void omp_set_num_threads(int), omp_set_dynamic(int), omp_set_nested(int), omp_set_default_device(int);
void omp_set_schedule(omp_sched_t, int), omp_get_schedule(omp_sched_t *, int *), omp_set_max_active_levels(int);
double omp_get_wtime(void), omp_get_wtick(void);
void omp_init_lock(omp_lock_t *), omp_set_lock(omp_lock_t *), omp_unset_lock(omp_lock_t *);
void omp_destroy_lock(omp_lock_t *);
int omp_test_lock(omp_lock_t *);
void *omp_target_alloc(__SIZE_TYPE__, int);
void omp_target_free(void *, int);
omp_proc_bind_t omp_get_proc_bind(void);
