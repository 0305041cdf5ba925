#pragma once
struct curandGenerator_st; typedef curandGenerator_st *curandGenerator_t;
