#pragma once
struct dirent { char d_name[256]; };
typedef struct ai_dir DIR;
DIR *opendir(const char *);
struct dirent *readdir(DIR *);
int closedir(DIR *);
