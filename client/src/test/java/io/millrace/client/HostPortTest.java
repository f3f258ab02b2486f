package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestOptions;
import io.millrace.core.error.MillraceException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostPortTest {
  @Test
  void readsHostAndPort() {
    assertThat(HostPort.parse("example.org:80")).isEqualTo(new HostPort("example.org", 80));
    assertThat(HostPort.parse("[::1]:80"))
        .isEqualTo(new HostPort("::1", 80))
        .hasToString("[::1]:80");
    assertThat(HostPort.parse("http://127.0.0.1:8081/")).hasToString("127.0.0.1:8081");
    assertThat(HostPort.parse("https://127.0.0.1:8081")).hasToString("127.0.0.1:8081");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "host", ":80", "host:", "host:port", "host:0", "host:65536", "::1:80"})
  void refusesWhatIsNoAddress(String text) {
    assertThatThrownBy(() -> HostPort.parse(text))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("'" + text + "' is not the address of a JobManager");
  }

  @Test
  void portThatIsLeftToTheServerNamesNoAddress() {
    assertThat(HostPort.find(Configuration.EMPTY.with(RestOptions.PORT, "50100-50110"))).isEmpty();
    assertThat(HostPort.find(Configuration.EMPTY.with(RestOptions.PORT, 50100)))
        .contains(new HostPort("127.0.0.1", 50100));
    assertThatThrownBy(() -> HostPort.of(Configuration.EMPTY.with(RestOptions.PORT, 0)))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("-m host:port");
  }
}
