#pragma once
#ifndef __cplusplus
#define alignas _Alignas
#define alignof _Alignof
#endif
