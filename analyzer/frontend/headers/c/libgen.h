#pragma once
char *basename(char *), *dirname(char *);
