// Bytes of bodies that the gate holds at a time: so many of a token, so many of all. A request
// whose body would be too many waits unread, so that its client's own buffer holds it, and is read
// in its turn. Knows neither network nor time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace kbench {

class ByteBudget : public std::enable_shared_from_this<ByteBudget> {
 public:
  struct Limits {
    std::size_t of_one = 0;
    std::size_t of_all = 0;
  };
  // Makes a budget. Holds of it may outlive its owner.
  [[nodiscard]] static std::shared_ptr<ByteBudget> make(Limits limits);

  // A share of so many bytes for one owner, given back when it is destroyed.
  class Hold {
   public:
    Hold(std::shared_ptr<ByteBudget> budget, std::string owner, std::size_t bytes);
    ~Hold() { (void)resize(0); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

    // Changes the size. False, and nothing happens, where there is no room for more. Less is always
    // possible.
    [[nodiscard]] bool resize(std::size_t bytes);
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

   private:
    std::shared_ptr<ByteBudget> budget_;
    std::string owner_;
    std::size_t bytes_ = 0;
  };

  // Asks for bytes. `granted` gets the hold, now or when others have given back enough; an owner's
  // own requests keep their order, and one whose turn has not come holds no other owner up. Returns
  // its number in the line, 0 where it was granted now.
  using Granted = std::function<void(std::shared_ptr<Hold>)>;
  std::uint64_t ask(const std::string& owner, std::size_t bytes, Granted granted);
  // The request is not granted any more.
  void withdraw(std::uint64_t number);
  // Closes the line: requests that wait are granted nothing any more.
  void close() { line_.clear(); }

  [[nodiscard]] std::size_t held() const { return held_; }

 private:
  struct Waiting {
    std::uint64_t number = 0;
    std::string owner;
    std::size_t bytes = 0;
    Granted granted;
  };
  explicit ByteBudget(Limits limits) : limits_(limits) {}
  [[nodiscard]] bool fits(const std::string& owner, std::size_t more) const;
  void change(const std::string& owner, std::size_t from, std::size_t to);
  void grant_some();

  const Limits limits_;
  std::size_t held_ = 0;
  std::map<std::string, std::size_t> of_;  // key: the owner
  std::deque<Waiting> line_;
  std::uint64_t next_ = 0;
  bool granting_ = false;
};

}  // namespace kbench
