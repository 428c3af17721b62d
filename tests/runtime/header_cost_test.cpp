// What including the library costs: <weft/weft.hpp> stands first, and the headers of the standard library that would take
// a compiler longer than all of Weft's are not behind it.
#include <weft/weft.hpp>

#if defined(_GLIBCXX_MEMORY) || defined(_GLIBCXX_FUNCTIONAL) || defined(_GLIBCXX_OSTREAM) ||                           \
    defined(_GLIBCXX_THREAD) || defined(_GLIBCXX_RANGES) || defined(_GLIBCXX_ATOMIC) || defined(_GLIBCXX_VARIANT) ||   \
    defined(_GLIBCXX_ITERATOR)
constexpr bool light = false;
#else
constexpr bool light = true;
#endif

#include <gtest/gtest.h>

TEST(Header, includes_no_costly_header) { EXPECT_TRUE(light) << "g++ -H shows which header brings it"; }
