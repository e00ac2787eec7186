#include "reports/page/page_merge.hpp"

#include <cstddef>
#include <utility>

namespace kbench {
namespace {

// A position among the rows, or no row's.
void move_row(Json& row, std::size_t by) {
  if (!row.is_null()) row = row.get<std::size_t>() + by;
}

void move_board(Json& board, std::size_t by) {
  for (Json& task : board["tasks"]) {
    task["rows"][0] = task["rows"][0].get<std::size_t>() + by;
    for (Json& row : task["best"]) move_row(row, by);
    move_row(task["baselines"], by);
  }
}

void move_episode(Json& episode, std::size_t by) {
  move_row(episode["row"], by);
  for (Json& turn : episode["turns"])
    for (Json& call : turn["calls"]) move_row(call["row"], by);
}

}  // namespace

Json merge_pages(std::vector<RunPage> pages) {
  Json made = pages.front().data;
  for (const char* list : {"rows", "details", "boards", "episodes"}) made[list] = Json::array();
  made["trend"] = Json();
  made["only_task"] = Json();
  for (RunPage& page : pages) {
    const std::size_t rows = made["rows"].size();
    for (Json& board : page.data["boards"]) {
      move_board(board, rows);
      board["run"] = page.data["run"]["id"];
      board["run_name"] = page.name;
      board["started_at"] = page.data["run"]["started_at"];
      if (!page.data["trend"].is_null()) board["trend_of"] = page.data["trend"];
    }
    for (Json& episode : page.data["episodes"]) {
      move_episode(episode, rows);
      episode["run"] = page.data["run"]["id"];
    }
    for (const char* list : {"rows", "details", "boards", "episodes"})
      for (Json& one : page.data[list]) made[list].push_back(std::move(one));
    for (auto& [hash, text] : page.data["contents"].items()) made["contents"][hash] = text;
  }
  return made;
}

}  // namespace kbench
