#pragma once
#include <stddef.h>
typedef int acc_device_t;
enum ai_acc_devices { acc_device_none = 0, acc_device_default = 1, acc_device_host = 2, acc_device_not_host = 3, acc_device_nvidia = 4, acc_device_radeon = 5 };
int acc_get_num_devices(acc_device_t);
void acc_set_device_type(acc_device_t);
acc_device_t acc_get_device_type(void);
void acc_set_device_num(int, acc_device_t);
int acc_get_device_num(acc_device_t);
void acc_init(acc_device_t);
void acc_shutdown(acc_device_t);
void acc_wait(int);
void acc_wait_all(void);
void *acc_malloc(size_t);
void acc_free(void *);
void *acc_copyin(void *, size_t);
void acc_copyout(void *, size_t);
void *acc_create(void *, size_t);
void acc_delete(void *, size_t);
void *acc_deviceptr(void *);
void acc_update_device(void *, size_t);
void acc_update_self(void *, size_t);
