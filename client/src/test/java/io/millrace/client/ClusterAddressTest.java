package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.security.PrivateFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterAddressTest {
  private static final HostPort REST = new HostPort("example.org", 8081);

  @TempDir private Path directory;

  @Test
  void urlIsThatOfABrowser() {
    assertThat(ClusterAddress.plain(REST).url()).isEqualTo("http://example.org:8081");
    assertThat(ClusterAddress.plain(new HostPort("::1", 80)).url()).isEqualTo("http://[::1]:80");
  }

  @Test
  void textDoesNotShowTheToken() {
    ClusterAddress address = new ClusterAddress(REST, Optional.of("secret"), Optional.empty());
    assertThat(address).hasToString("example.org:8081");
  }

  @Test
  void tokenComesFromTheConfiguredFile() throws IOException {
    Path token = directory.resolve("token");
    PrivateFile.create(token, "0123456789abcdef0123456789abcdef");
    Configuration configuration = Configuration.EMPTY.with(SecurityOptions.REST_TOKEN_FILE, token);
    assertThat(ClusterAddress.of(REST, configuration).token())
        .contains("0123456789abcdef0123456789abcdef");
    assertThat(ClusterAddress.of(REST, Configuration.EMPTY).token()).isEmpty();
  }

  @Test
  void clientHasTheAddressAndTimeout() {
    try (RestClusterClient client = ClusterAddress.plain(REST).connect(Duration.ofSeconds(7))) {
      assertThat(client.address()).isEqualTo("example.org:8081");
      assertThat(client.reconnectTimeout()).isEqualTo(Duration.ofSeconds(7));
    }
  }
}
