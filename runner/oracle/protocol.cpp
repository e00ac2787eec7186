#include "runner/oracle/protocol.hpp"

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace kbench {
namespace {

std::string to_text(double value) { return fmt::format("{:.17g}", value); }

double from_text(const Json& json) { return std::strtod(json.get<std::string>().c_str(), nullptr); }

}  // namespace

void to_json(Json& json, const OutputPlaces& places) {
  Json in_heap = Json::array();
  for (const auto& place : places.in_heap) in_heap.push_back(place ? Json(*place) : Json());
  json = {{"orders", places.orders}, {"in_heap", std::move(in_heap)}};
}

void from_json(const Json& json, OutputPlaces& places) {
  json.at("orders").get_to(places.orders);
  places.in_heap.clear();
  for (const Json& place : json.at("in_heap"))
    places.in_heap.push_back(place.is_null() ? std::nullopt
                                             : std::optional(place.get<HeapPlace>()));
}

void to_json(Json& json, const CompareResult& result) {
  json = {{"wrong", result.wrong},
          {"first_wrong", result.first_wrong},
          {"got", to_text(result.first_wrong_got)},
          {"reference", to_text(result.first_wrong_reference)},
          {"max_error", to_text(result.max_error)},
          {"tolerance", to_text(result.tolerance_at_max)},
          {"sum_squared_error", to_text(result.sum_squared_error)},
          {"sum_squared_reference", to_text(result.sum_squared_reference)},
          {"slice_share", to_text(result.slice_share)},
          {"slice_error", to_text(result.slice_error)},
          {"slice_dimension", result.slice_dimension},
          {"slice_index", result.slice_index}};
}

void from_json(const Json& json, CompareResult& result) {
  json.at("wrong").get_to(result.wrong);
  json.at("first_wrong").get_to(result.first_wrong);
  result.first_wrong_got = from_text(json.at("got"));
  result.first_wrong_reference = from_text(json.at("reference"));
  result.max_error = from_text(json.at("max_error"));
  result.tolerance_at_max = from_text(json.at("tolerance"));
  result.sum_squared_error = from_text(json.at("sum_squared_error"));
  result.sum_squared_reference = from_text(json.at("sum_squared_reference"));
  result.slice_share = from_text(json.at("slice_share"));
  result.slice_error = from_text(json.at("slice_error"));
  json.at("slice_dimension").get_to(result.slice_dimension);
  json.at("slice_index").get_to(result.slice_index);
}

}  // namespace kbench
