#pragma once
struct sysinfo {
  long uptime;
  unsigned long loads[3], totalram, freeram, sharedram, bufferram, totalswap, freeswap;
  unsigned short procs;
  unsigned long totalhigh, freehigh;
  unsigned int mem_unit;
};
int sysinfo(struct sysinfo *), get_nprocs(void), get_nprocs_conf(void);
