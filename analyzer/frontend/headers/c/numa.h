#pragma once
#include <stddef.h>
struct bitmask { unsigned long size, *maskp; };
// What is allocated on a node is memory like that of malloc.
void *malloc(size_t);
void free(void *);
__attribute__((annotate("model"))) static inline void *numa_alloc_onnode(size_t bytes, int node) { return malloc(bytes); }
__attribute__((annotate("model"))) static inline void *numa_alloc_local(size_t bytes) { return malloc(bytes); }
__attribute__((annotate("model"))) static inline void *numa_alloc_interleaved(size_t bytes) { return malloc(bytes); }
__attribute__((annotate("model"))) static inline void *numa_alloc(size_t bytes) { return malloc(bytes); }
__attribute__((annotate("model"))) static inline void numa_free(void *memory, size_t bytes) { free(memory); }
int numa_available(void), numa_max_node(void), numa_num_configured_nodes(void), numa_num_configured_cpus(void);
int numa_node_of_cpu(int), numa_run_on_node(int), numa_preferred(void);
long numa_node_size(int, long *);
void numa_set_localalloc(void), numa_set_preferred(int), numa_set_strict(int), numa_bind(struct bitmask *);
struct bitmask *numa_allocate_nodemask(void), *numa_bitmask_setbit(struct bitmask *, unsigned);
void numa_bitmask_free(struct bitmask *);
