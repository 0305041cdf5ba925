#pragma once
void error(int, int, const char *, ...);
