// Monte-Carlo with hand-written generators: pi by xorshift, an Asian call by a 64-bit LCG and Box-Muller.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

class XorShift32 {
public:
    __device__ explicit XorShift32(uint32_t seed) : s_(seed ? seed : 1u) {}
    __device__ uint32_t next()
    {
        s_ ^= s_ << 13;
        s_ ^= s_ >> 17;
        s_ ^= s_ << 5;
        return s_;
    }
    __device__ float uniform() { return (next() >> 8) * (1.0f / 16777216.0f); }

private:
    uint32_t s_;
};

class Lcg64 {
public:
    __device__ explicit Lcg64(uint64_t seed) : s_(seed * 6364136223846793005ull + 1442695040888963407ull) {}
    // in (0, 1]
    __device__ float uniform()
    {
        s_ = s_ * 6364136223846793005ull + 1442695040888963407ull;
        return ((uint32_t)(s_ >> 40) + 1u) * (1.0f / 16777216.0f);
    }

private:
    uint64_t s_;
};

static void need(cudaError_t e)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(e));
        exit(1);
    }
}

__global__ void mc_pi(unsigned *hits, int threads, int samples)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= threads) return;
    XorShift32 rng(t * 2654435761u + 97u);
    unsigned h = 0;
    for (int i = 0; i < samples; i++) {
        float x = rng.uniform();
        float y = rng.uniform();
        if (x * x + y * y <= 1.0f) h++;
    }
    hits[t] = h;
}

struct Asian {
    float s0, strike, rate, vol, dt;
    int steps;
};

__global__ void mc_asian(float *payoff, int paths, Asian opt)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= paths) return;
    Lcg64 rng(p + 12345ull);
    const float drift = (opt.rate - 0.5f * opt.vol * opt.vol) * opt.dt;
    const float diff = opt.vol * sqrtf(opt.dt);
    float logs = 0.0f, mean = 0.0f;
    for (int k = 0; k < opt.steps; k += 2) {
        float r = sqrtf(-2.0f * logf(rng.uniform()));
        float s, c;
        sincosf(6.2831853f * rng.uniform(), &s, &c);
        logs += drift + diff * r * c;
        mean += expf(logs);
        logs += drift + diff * r * s;
        mean += expf(logs);
    }
    mean *= opt.s0 / opt.steps;
    payoff[p] = fmaxf(mean - opt.strike, 0.0f) * expf(-opt.rate * opt.dt * opt.steps);
}

int main(int argc, char **argv)
{
    const int threads = argc > 1 ? atoi(argv[1]) : 1000000;
    const int samples = argc > 2 ? atoi(argv[2]) : 400;
    unsigned *hits;
    float *payoff;
    need(cudaMalloc(&hits, threads * sizeof(unsigned)));
    need(cudaMalloc(&payoff, threads * sizeof(float)));

    mc_pi<<<(threads + 255) / 256, 256>>>(hits, threads, samples);
    need(cudaGetLastError());
    Asian opt = {100.0f, 100.0f, 0.05f, 0.2f, 1.0f / 64, 64};
    mc_asian<<<(threads + 127) / 128, 128>>>(payoff, threads, opt);
    need(cudaGetLastError());
    need(cudaDeviceSynchronize());

    std::vector<unsigned> hh(threads);
    std::vector<float> hp(threads);
    need(cudaMemcpy(hh.data(), hits, threads * sizeof(unsigned), cudaMemcpyDeviceToHost));
    need(cudaMemcpy(hp.data(), payoff, threads * sizeof(float), cudaMemcpyDeviceToHost));
    double inside = 0, value = 0;
    for (int i = 0; i < threads; i++) {
        inside += hh[i];
        value += hp[i];
    }
    printf("pi ~ %.6f, Asian call ~ %.5f\n", 4.0 * inside / ((double)threads * samples), value / threads);
    cudaFree(hits);
    cudaFree(payoff);
    return 0;
}
