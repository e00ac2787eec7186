// Compiles {fmt} into a static library of this build. Debian ships only libfmt.so, and a program
// that is carried to another machine must not need it; including the library header-only instead
// costs more than two seconds of compile time in each of our files.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

// What fmt's headers declare but leave to the library: digits of floating-point numbers, the two
// functions that ask a locale, and the growth and formatting of a character buffer.
template dragonbox::decimal_fp<float> dragonbox::to_decimal<float>(float) noexcept;
template dragonbox::decimal_fp<double> dragonbox::to_decimal<double>(double) noexcept;
template thousands_sep_result<char> thousands_sep_impl<char>(locale_ref);
template char decimal_point_impl<char>(locale_ref);
template locale_ref::locale_ref(const std::locale&);
template std::locale locale_ref::get<std::locale>() const;
template void buffer<char>::append<char>(const char*, const char*);
#if FMT_VERSION >= 100000
template void vformat_to<char>(buffer<char>&, string_view, vformat_args<>::type, locale_ref);
#else
template void vformat_to<char>(buffer<char>&, string_view, basic_format_args<buffer_context<char>>,
                               locale_ref);
#endif

}  // namespace detail
FMT_END_NAMESPACE
