// reports/page/assets/page.html with what varies filled in: style and script inside or beside the
// page, where its links lead, and its parts. Pages that are tables alone share style and bar with
// it (static.html).
#pragma once

#include <string>
#include <string_view>

#include "runner/core/json.hpp"

namespace kbench {

struct PageParts {
  std::string title;
  std::string description;  // one sentence, for sites that show a link to the page
  std::string home;         // text before the fragment of a link: "", "../../index.html"
  bool ranks = true;        // no: a run of one submission, whose page has no ranking to go to
  std::string headline;     // this and the next three: finished HTML
  std::string results;
  std::string environment;
  std::string census;
  std::string profiles = {};  // finished HTML with its section; empty: there are none
};

// Style and script within the page, allowed by their hash.
[[nodiscard]] std::string page_alone(const PageParts& parts, const Json& data);

struct StaticPageParts {
  std::string title;
  std::string links;  // links to its sections; this and the next: finished HTML
  std::string main;
};

// A page that is all there without a script, with style and script within, allowed by their hash.
[[nodiscard]] std::string static_page(const StaticPageParts& parts);

// Style and script in files beside it: `root` leads there ("", "../../").
[[nodiscard]] std::string page_of_site(const PageParts& parts, const Json& data,
                                       std::string_view root);

inline constexpr std::string_view kSiteStyle = "kbench.css";
inline constexpr std::string_view kSiteScript = "kbench.js";
// The contents of those two files.
[[nodiscard]] std::string_view site_style();
[[nodiscard]] std::string site_script();

}  // namespace kbench
