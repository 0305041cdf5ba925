#pragma once
struct passwd { char *pw_name, *pw_dir, *pw_shell; unsigned pw_uid, pw_gid; };
struct passwd *getpwuid(unsigned), *getpwnam(const char *);
