// The certificates by which an endpoint is believed, from the file that a variable names.
#include "runner/episode/certificates.hpp"

#include <cstdlib>
#include <optional>
#include <string>

#include <gmock/gmock.h>

#include "tests/unit/temporary_folder.hpp"

namespace kbench::test {
namespace {

using ::testing::HasSubstr;

class Certificates : public ::testing::Test {
 protected:
  Certificates() {
    if (const char* before = std::getenv(kVariable)) before_ = before;
  }
  ~Certificates() override {
    before_ ? ::setenv(kVariable, before_->c_str(), 1) : ::unsetenv(kVariable);
  }
  Status trust(const std::string& file, bool tls = true) {
    ::setenv(kVariable, file.c_str(), 1);
    endpoint_ = Endpoint();
    endpoint_.tls = tls;
    return trust_certificates(endpoint_);
  }

  static constexpr const char* kVariable = "SSL_CERT_FILE";
  std::optional<std::string> before_;
  const TemporaryFolder folder_;
  const std::string pem_ = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  Endpoint endpoint_;
};

TEST_F(Certificates, AreThoseOfTheFileThatIsNamed) {
  ASSERT_TRUE(trust(folder_.write("own.pem", pem_)).ok());
  EXPECT_EQ(endpoint_.certificates, pem_);
}

TEST_F(Certificates, NobodyAsksForThemWithoutTls) {
  EXPECT_TRUE(trust(folder_ / "nowhere.pem", false).ok());
  EXPECT_EQ(endpoint_.certificates, "");
}

TEST_F(Certificates, AFileWithoutAnyIsRefusedByItsName) {
  const std::string large = pem_ + std::string(2u << 20, 'A');
  for (const auto& file : {folder_.write("key.txt", "no certificate"),
                           folder_.write("large.pem", large), folder_ / "nowhere.pem"}) {
    const Status trusted = trust(file);
    ASSERT_FALSE(trusted.ok()) << file;
    EXPECT_EQ(trusted.error().code, ErrorCode::kUsage);
    EXPECT_THAT(trusted.error().message, HasSubstr(file.filename().string()));
    EXPECT_THAT(trusted.error().hint, HasSubstr(kVariable));
    EXPECT_EQ(endpoint_.certificates, "");
  }
}

}  // namespace
}  // namespace kbench::test
