#pragma once
#include <allocator.h>
#include <ai_model.h>
#include <initializer_list>
#include <iterator>
namespace std {
// Objects have the size of those of GNU's library, so that arrays of structures with them have the right stride.
template <class T> struct ai_words { enum { number = 3 }; };
template <> struct ai_words<bool> { enum { number = 5 }; };
// What data() of a vector of Thrust on a device returns: a pointer with get().
template <class T> struct ai_device_pointer {
  T *ai_storage;
  T *get() const noexcept;
  operator T *() const noexcept;
};
template <class T> struct ai_device_allocator : allocator<T> {
  ai_device_allocator() = default;
};
template <class T, class A> struct ai_data_of { using type = T *; using constant = const T *; };
template <class T> struct ai_data_of<T, ai_device_allocator<T>> {
  using type = ai_device_pointer<T>;
  using constant = ai_device_pointer<const T>;
};
template <class T, class A> struct ai_sequence {
  void *ai_storage[ai_words<T>::number];
  using value_type = T;
  using iterator = T *;
  using const_iterator = const T *;
  using pointer = T *;
  using const_pointer = const T *;
  using reference = T &;
  using const_reference = const T &;
  using size_type = size_t;
  using difference_type = ptrdiff_t;
  using allocator_type = A;
  using reverse_iterator = std::reverse_iterator<T *>;
  using const_reverse_iterator = std::reverse_iterator<const T *>;
  T &operator[](size_t);
  const T &operator[](size_t) const;
  T &at(size_t);
  const T &at(size_t) const;
  T &front();
  T &back();
  const T &front() const;
  const T &back() const;
  typename ai_data_of<T, A>::type data() noexcept;
  typename ai_data_of<T, A>::constant data() const noexcept;
  T *begin() noexcept;
  T *end() noexcept;
  AI_MODEL reverse_iterator rbegin() noexcept { return reverse_iterator(this->end()); }
  AI_MODEL reverse_iterator rend() noexcept { return reverse_iterator(this->begin()); }
  const T *begin() const noexcept;
  const T *end() const noexcept;
  AI_MODEL const_reverse_iterator rbegin() const noexcept { return const_reverse_iterator(this->end()); }
  AI_MODEL const_reverse_iterator rend() const noexcept { return const_reverse_iterator(this->begin()); }
  AI_MODEL const_reverse_iterator crbegin() const noexcept { return const_reverse_iterator(this->end()); }
  AI_MODEL const_reverse_iterator crend() const noexcept { return const_reverse_iterator(this->begin()); }
  const T *cbegin() const noexcept;
  const T *cend() const noexcept;
  size_t size() const noexcept;
  size_t max_size() const noexcept;
  size_t capacity() const noexcept;
  bool empty() const noexcept;
  void clear() noexcept;
  void resize(size_t);
  void resize(size_t, const T &);
  void reserve(size_t);
  void shrink_to_fit();
  void push_back(const T &);
  void push_front(const T &);
  void pop_back();
  void pop_front();
  template <class... B> AI_MODEL T &emplace_back(B &&...given) {
    this->push_back(T(static_cast<B &&>(given)...));
    return this->back();
  }
  template <class... B> T &emplace_front(B &&...);
  template <class... B> T *emplace(const T *, B &&...);
  T *insert(const T *, const T &);
  template <class I, class = typename iterator_traits<I>::value_type> T *insert(const T *, I, I);
  T *insert(const T *, size_t, const T &);
  template <class R> T *insert_range(const T *, R &&);
  template <class R> AI_MODEL void append_range(R &&range) {
    for (auto at = std::begin(range), last = std::end(range); at != last; ++at) this->push_back(*at);
  }
  A get_allocator() const;
  T *insert(const T *, initializer_list<T>);
  T *erase(const T *);
  T *erase(const T *, const T *);
  void assign(size_t, const T &);
  template <class I, class = typename iterator_traits<I>::value_type> void assign(I, I);
  void assign(initializer_list<T>);
};
// Those that are wanted stay, one behind the other.
template <class C, class F> AI_MODEL size_t ai_erase_if(C &from, F is_unwanted) {
  auto kept = from.begin();
  const auto last = from.end();
  for (auto each = kept; each != last; ++each)
    if (!is_unwanted(*each)) {
      *kept = *each;
      ++kept;
    }
  const size_t erased = last - kept;
  from.erase(kept, last);
  return erased;
}
#define AI_ERASE(name) \
  template <class T, class A, class F> AI_MODEL size_t erase_if(name<T, A> &from, F is_unwanted) { return ai_erase_if(from, is_unwanted); } \
  template <class T, class A, class V> AI_MODEL size_t erase(name<T, A> &from, const V &value) { \
    return ai_erase_if(from, ai_equal_to<V>{value}); \
  }
#define AI_SEQUENCE(name) \
  template <class T, class A = allocator<T>> struct name : ai_sequence<T, A> { \
    name() noexcept; \
    explicit name(const A &); \
    explicit name(size_t, const A & = A()); \
    name(size_t, const T &, const A & = A()); \
    template <class I, class = typename iterator_traits<I>::value_type> name(I, I, const A & = A()); \
    name(const name &); \
    name(name &&) noexcept; \
    template <class B> name(const name<T, B> &); \
    name(initializer_list<T>, const A & = A()); \
    name &operator=(const name &); \
    template <class B> name &operator=(const name<T, B> &); \
    name &operator=(name &&); \
    name &operator=(initializer_list<T>); \
    void swap(name &); \
  }; \
  template <class T, class A> bool operator==(const name<T, A> &, const name<T, A> &); \
  template <class T, class A> bool operator!=(const name<T, A> &, const name<T, A> &); \
  template <class T, class A> bool operator<(const name<T, A> &, const name<T, A> &); \
  template <class T, class A> bool operator>(const name<T, A> &, const name<T, A> &); \
  template <class T, class A> bool operator<=(const name<T, A> &, const name<T, A> &); \
  template <class T, class A> bool operator>=(const name<T, A> &, const name<T, A> &);
ptrdiff_t ai_any();  // a number that only a run has
template <class T> struct ai_node {
  T *item;
  ai_node();
  explicit ai_node(T *);
  template <class U> ai_node(const ai_node<U> &);
  AI_MODEL T &operator*() const { return *item; }
  AI_MODEL T *operator->() const { return item; }
  AI_MODEL ai_node &operator++() { item += ai_any(); return *this; }
  AI_MODEL ai_node operator++(int) { ai_node old; old.item = item; item += ai_any(); return old; }
  AI_MODEL ai_node &operator--() { item += ai_any(); return *this; }
  AI_MODEL ai_node operator--(int) { ai_node old; old.item = item; item += ai_any(); return old; }
  template <class U> AI_MODEL bool operator==(const ai_node<U> &) const { return ai_any() == 0; }
  template <class U> AI_MODEL bool operator!=(const ai_node<U> &) const { return ai_any() == 0; }
  using value_type = T;
};
}
