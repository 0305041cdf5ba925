// Numbers that count what is done to them: C sources compiled as C++ with these types measure their own work.
//
// Every operator and mathematical function on `Counted` is one operation of its kind.  A `Counted` or a `Whole` that is
// read or written inside of a registered array is a load or a store; elsewhere it is a scalar, which registers hold.
// With COUNTED_TURNS as `for`, the iterations of loops count by line.
//
// A number that C++ makes zero in memory (an element of a new container) is stored there.
// In C++ programs memory is what is not on the stack (`all_but_the_stack`), and the local arrays named by IN_MEMORY.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <pthread.h>
#include <vector>

namespace counting {

enum Kind { LOADS, STORES, ADD, SUB, MUL, DIV, NEG, COMPARE, FABS, SQRT, EXP, SIN, COS, MIN, MAX, KINDS };
inline const char* const names[] = {"loads", "stores", "add", "sub", "mul", "div", "neg", "compare",
                                    "fabs", "sqrt", "exp", "sin", "cos", "min", "max"};
inline long totals[KINDS];
struct Range { const void *begin, *end; };
inline std::vector<Range> arrays;
inline Range stack;
inline std::map<int, long> turns;

inline void reset()
{
    for (long& total : totals) total = 0;
    turns.clear();
}
inline bool turn(int line) { ++turns[line]; return false; }
inline void in_memory(const void* begin, std::size_t bytes)
{
    arrays.push_back({begin, static_cast<const char*>(begin) + bytes});
}
inline void all_but_the_stack()
{
    pthread_attr_t attributes;
    pthread_getattr_np(pthread_self(), &attributes);
    void* begin;
    std::size_t bytes;
    pthread_attr_getstack(&attributes, &begin, &bytes);
    pthread_attr_destroy(&attributes);
    stack = {begin, static_cast<char*>(begin) + bytes};
}
struct Local {
    Local(const void* begin, std::size_t bytes) { in_memory(begin, bytes); }
    ~Local() { arrays.pop_back(); }
};
inline void touch(const void* place, Kind direction)
{
    if (stack.begin && (place < stack.begin || place >= stack.end)) { ++totals[direction]; return; }
    for (const Range& range : arrays)
        if (place >= range.begin && place < range.end) { ++totals[direction]; return; }
}
inline Range raw;  // of the last `new T[n]` that lives, which stores no zeros
inline void made(const void* place)
{
    if (place < raw.begin || place >= raw.end) touch(place, STORES);
}
inline void print(const char* name)
{
    std::printf("%s", name);
    for (int kind = 0; kind < KINDS; kind++)
        if (totals[kind]) std::printf(" %s=%ld", names[kind], totals[kind]);
    for (const auto& [line, number] : turns) std::printf(" loop@%d=%ld", line, number);
    std::printf("\n");
}

}  // namespace counting

__attribute__((weak)) void* operator new[](std::size_t bytes)
{
    void* begin = std::malloc(bytes);
    counting::raw = {begin, static_cast<char*>(begin) + bytes};
    return begin;
}
__attribute__((weak)) void operator delete[](void* begin) noexcept
{
    if (begin == counting::raw.begin) counting::raw = {};
    std::free(begin);
}
__attribute__((weak)) void operator delete[](void* begin, std::size_t) noexcept { operator delete[](begin); }

class Whole {
public:
    Whole() = default;
    Whole(int number) : number_(number) {}
    Whole(const Whole& other) : number_(other) {}
    operator int() const { counting::touch(this, counting::LOADS); return number_; }
    Whole& operator=(int number) { counting::touch(this, counting::STORES); number_ = number; return *this; }
    Whole& operator=(const Whole& other) { return *this = static_cast<int>(other); }

private:
    int number_;
};

class Counted {
public:
    Counted() : number_(0) { counting::made(this); }
    Counted(float number) : number_(number) {}
    Counted(double number) : number_(static_cast<float>(number)) {}
    Counted(int number) : number_(static_cast<float>(number)) {}
    Counted(long number) : number_(static_cast<float>(number)) {}
    Counted(const Whole& number) : Counted(static_cast<int>(number)) {}
    Counted(const Counted& other) : number_(other.read()) { counting::touch(this, counting::STORES); }
    Counted& operator=(const Counted& other) { return write(other.read()); }
    explicit operator float() const { return read(); }
    explicit operator double() const { return read(); }
    explicit operator int() const { return static_cast<int>(read()); }

    float read() const { counting::touch(this, counting::LOADS); return number_; }
    Counted& write(float number) { counting::touch(this, counting::STORES); number_ = number; return *this; }
    static Counted apply(counting::Kind kind, float number) { ++counting::totals[kind]; return Counted(number); }

    friend Counted operator+(const Counted& x, const Counted& y) { return apply(counting::ADD, x.read() + y.read()); }
    friend Counted operator-(const Counted& x, const Counted& y) { return apply(counting::SUB, x.read() - y.read()); }
    friend Counted operator*(const Counted& x, const Counted& y) { return apply(counting::MUL, x.read() * y.read()); }
    friend Counted operator/(const Counted& x, const Counted& y) { return apply(counting::DIV, x.read() / y.read()); }
    friend Counted operator-(const Counted& x) { return apply(counting::NEG, -x.read()); }
    Counted& operator+=(const Counted& y) { return write((*this + y).number_); }
    Counted& operator-=(const Counted& y) { return write((*this - y).number_); }
    Counted& operator*=(const Counted& y) { return write((*this * y).number_); }
    Counted& operator/=(const Counted& y) { return write((*this / y).number_); }

    static bool relation(bool holds) { ++counting::totals[counting::COMPARE]; return holds; }
    friend bool operator<(const Counted& x, const Counted& y) { return relation(x.read() < y.read()); }
    friend bool operator>(const Counted& x, const Counted& y) { return relation(x.read() > y.read()); }
    friend bool operator<=(const Counted& x, const Counted& y) { return relation(x.read() <= y.read()); }
    friend bool operator>=(const Counted& x, const Counted& y) { return relation(x.read() >= y.read()); }
    friend bool operator==(const Counted& x, const Counted& y) { return relation(x.read() == y.read()); }
    friend bool operator!=(const Counted& x, const Counted& y) { return relation(x.read() != y.read()); }

    friend Counted fabsf(const Counted& x) { return apply(counting::FABS, std::fabs(x.read())); }
    friend Counted sqrtf(const Counted& x) { return apply(counting::SQRT, std::sqrt(x.read())); }
    friend Counted expf(const Counted& x) { return apply(counting::EXP, std::exp(x.read())); }
    friend Counted sinf(const Counted& x) { return apply(counting::SIN, std::sin(x.read())); }
    friend Counted cosf(const Counted& x) { return apply(counting::COS, std::cos(x.read())); }

private:
    float number_;
};

namespace std {
inline Counted min(const Counted& x, const Counted& y) { return Counted::apply(counting::MIN, fmin(x.read(), y.read())); }
inline Counted max(const Counted& x, const Counted& y) { return Counted::apply(counting::MAX, fmax(x.read(), y.read())); }
inline Counted min(initializer_list<Counted> all)
{
    Counted least = *all.begin();
    for (const Counted* next = all.begin() + 1; next != all.end(); ++next) least = min(least, *next);
    return least;
}
inline Counted max(initializer_list<Counted> all)
{
    Counted most = *all.begin();
    for (const Counted* next = all.begin() + 1; next != all.end(); ++next) most = max(most, *next);
    return most;
}
}  // namespace std

// std::make_unique<T[]> makes its elements zero, in memory that new[] gives it.
#include <memory>
template <>
inline std::unique_ptr<Counted[]> std::make_unique<Counted[]>(std::size_t number)
{
    std::unique_ptr<Counted[]> made(new Counted[number]);
    for (std::size_t i = 0; i < number; i++) counting::touch(&made[i], counting::STORES);
    return made;
}

// A std::function holds a closure of a few numbers itself, as it would with numbers that do not count.
#if __cpp_concepts && defined(__GLIBCXX__)
#include <functional>
template <class T>
    requires(std::is_class_v<T> && !std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>)
struct std::__is_location_invariant<T> : std::true_type {};
#endif

#define IN_MEMORY(object) counting::Local in_memory_here(&(object), sizeof(object))
#define COUNTED_TURNS(...) for (__VA_ARGS__) if (counting::turn(__LINE__)) {} else
