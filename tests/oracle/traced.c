/* Every memory access of a program through exact LRU caches: the referee for whole programs.

   Linked in place of the runtime of -fsanitize=thread, whose calls before each access it answers.  Levels are neither
   inclusive nor exclusive; stores allocate and fetch, dirty lines are written back, a write-back that misses allocates
   without fetching.  A fetch belongs to the instruction that asked for it, a write-back to the one that made the
   line of that level dirty.
   At the end one line of counts for each instruction goes to the file that TRACED_TO names. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 3, LINE = 64, SITES = 1 << 14 };

typedef struct { uint64_t line; uint32_t owner; uint8_t dirty; } Entry;
typedef struct { uint64_t sets; unsigned ways; Entry *entries; unsigned *used; } Level;
typedef struct { uint64_t pc, loads, stores, bytes, fetched[LEVELS], written[LEVELS]; } Site;

static Level levels[LEVELS];
static Site sites[SITES];
static int is_ready;

static void finish(void);

__attribute__((constructor)) static void start(void) {
    unsigned long kib[LEVELS] = {32, 256, 35840};
    unsigned ways[LEVELS] = {8, 8, 16};
    const char *given = getenv("TRACED_CACHES");
    if (given) sscanf(given, "%lu/%u,%lu/%u,%lu/%u", kib, ways, kib + 1, ways + 1, kib + 2, ways + 2);
    for (int k = 0; k < LEVELS; k++) {
        levels[k].ways = ways[k];
        levels[k].sets = kib[k] * 1024 / LINE / ways[k];
        levels[k].entries = calloc(levels[k].sets * ways[k], sizeof(Entry));
        levels[k].used = calloc(levels[k].sets, sizeof(unsigned));
    }
    is_ready = 1;
    atexit(finish);
}

static uint32_t site_of(uint64_t pc) {
    uint32_t at = (uint32_t)(pc * 0x9E3779B97F4A7C15ull >> 50);
    while (sites[at].pc && sites[at].pc != pc) at = (at + 1) % SITES;
    sites[at].pc = pc;
    return at;
}

/* Move the line to the front of its set if it is there. */
static Entry *find(Level *level, uint64_t line) {
    uint64_t set = line % level->sets;
    Entry *first = level->entries + set * level->ways;
    for (unsigned k = 0; k < level->used[set]; k++)
        if (first[k].line == line) {
            Entry found = first[k];
            memmove(first + 1, first, k * sizeof(Entry));
            *first = found;
            return first;
        }
    return NULL;
}

static void soil(Entry *entry, uint32_t owner) {
    if (!entry->dirty) entry->owner = owner;
    entry->dirty = 1;
}

static void write_back(int k, Entry entry);

static Entry *insert(int k, uint64_t line) {
    Level *level = levels + k;
    uint64_t set = line % level->sets;
    Entry *first = level->entries + set * level->ways;
    unsigned used = level->used[set];
    Entry victim = {0};
    if (used == level->ways) victim = first[--used];
    else level->used[set]++;
    memmove(first + 1, first, used * sizeof(Entry));
    *first = (Entry){line, 0, 0};
    if (victim.dirty) write_back(k, victim);
    return first;
}

/* A dirty line leaves level k for the next one. */
static void write_back(int k, Entry entry) {
    sites[entry.owner].written[k]++;
    if (k + 1 == LEVELS) return;
    Entry *found = find(levels + k + 1, entry.line);
    if (!found) found = insert(k + 1, entry.line);
    soil(found, entry.owner);
}

static Entry *fetch(int k, uint64_t line, uint32_t site) {
    Entry *found = find(levels + k, line);
    if (found) return found;
    sites[site].fetched[k]++;
    if (k + 1 < LEVELS) fetch(k + 1, line, site);
    return insert(k, line);
}

static void touch(const void *address, unsigned size, int is_store, void *pc) {
    if (!is_ready) return;
    uint32_t site = site_of((uint64_t)pc);
    uint64_t first = (uint64_t)address / LINE, last = ((uint64_t)address + size - 1) / LINE;
    if (is_store) sites[site].stores++; else sites[site].loads++;
    sites[site].bytes += size;
    for (uint64_t line = first; line <= last; line++) {
        Entry *found = fetch(0, line, site);
        if (is_store) soil(found, site);
    }
}

static void flush(void) {
    for (int k = 0; k < LEVELS; k++)
        for (uint64_t set = 0; set < levels[k].sets; set++)
            for (unsigned way = 0; way < levels[k].used[set]; way++) {
                Entry *entry = levels[k].entries + set * levels[k].ways + way;
                if (!entry->dirty) continue;
                entry->dirty = 0;
                sites[entry->owner].written[k]++;
                int below = k + 1;
                for (; below < LEVELS; below++) {
                    Entry *kept = find(levels + below, entry->line);
                    if (kept) { soil(kept, entry->owner); break; }
                    sites[entry->owner].written[below]++;
                }
            }
}

static void finish(void) {
    const char *path = getenv("TRACED_TO");
    FILE *file = path ? fopen(path, "w") : stdout;
    flush();
    for (int at = 0; at < SITES; at++) {
        Site *site = sites + at;
        if (!site->pc) continue;
        fprintf(file, "%lx %lu %lu %lu", site->pc, site->loads, site->stores, site->bytes);
        for (int k = 0; k < LEVELS; k++) fprintf(file, " %lu %lu", site->fetched[k], site->written[k]);
        fputc('\n', file);
    }
    fclose(file);
}

#define HOOK(size)                                                                                               \
    void __tsan_read##size(void *p) { touch(p, size, 0, __builtin_return_address(0)); }                          \
    void __tsan_write##size(void *p) { touch(p, size, 1, __builtin_return_address(0)); }                         \
    void __tsan_unaligned_read##size(void *p) { touch(p, size, 0, __builtin_return_address(0)); }                \
    void __tsan_unaligned_write##size(void *p) { touch(p, size, 1, __builtin_return_address(0)); }
HOOK(1)
HOOK(2)
HOOK(4)
HOOK(8)
HOOK(16)
void __tsan_init(void) {}
void __tsan_func_entry(void *pc) { (void)pc; }
void __tsan_func_exit(void) {}
void __tsan_vptr_update(void **p, void *v) { (void)p; (void)v; }
void __tsan_vptr_read(void **p) { (void)p; }
void __tsan_read_range(void *p, unsigned long size) { touch(p, size, 0, __builtin_return_address(0)); }
void __tsan_write_range(void *p, unsigned long size) { touch(p, size, 1, __builtin_return_address(0)); }
int __tsan_atomic32_fetch_add(volatile int *p, int value, int order) { (void)order; int old = *p; *p += value; return old; }

double omp_get_wtime(void) { return 0; }
int omp_get_thread_num(void) { return 0; }
int omp_get_num_threads(void) { return 1; }
void omp_set_num_threads(int n) { (void)n; }
