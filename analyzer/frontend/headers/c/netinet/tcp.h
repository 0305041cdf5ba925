#pragma once
#define TCP_NODELAY 1
