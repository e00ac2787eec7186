// The cheats find the mailbox's fields by their offsets. Where the layout changes they would be
// harmless, and still be called caught: then change them too.
#include <cstddef>

#include <gtest/gtest.h>

#include "runner/worker/mailbox.hpp"

namespace kbench {
namespace {

TEST(CheatsLayout, IsThatOfTheMailbox) {
  EXPECT_EQ(offsetof(MailboxPage, go), 0u);
  EXPECT_EQ(offsetof(MailboxPage, parameter_base), 16u);
  EXPECT_EQ(offsetof(MailboxPage, input_base), 24u);
  EXPECT_EQ(offsetof(MailboxPage, output_base), 152u);
  EXPECT_EQ(offsetof(MailboxPage, copies_outputs), 280u);
  EXPECT_EQ(offsetof(MailboxPage, done), 320u);
  EXPECT_EQ(offsetof(MailboxPage, status), 324u);
  EXPECT_EQ(offsetof(MailboxPage, claimed_ns), 328u);
  EXPECT_EQ(offsetof(MailboxPage, places), 344u);
}

}  // namespace
}  // namespace kbench
