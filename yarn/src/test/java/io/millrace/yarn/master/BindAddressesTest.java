package io.millrace.yarn.master;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.TlsOptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BindAddressesTest {
  @ParameterizedTest
  @CsvSource({
    "localhost, true, 127.0.0.1",
    "localhost, false, 127.0.0.1",
    "127.0.0.1, true, 127.0.0.1",
    "127.0.0.1, false, 127.0.0.1",
    "127.0.0.2, true, 127.0.0.2",
    "192.0.2.1, true, 0.0.0.0",
    "192.0.2.1, false, 0.0.0.0",
    "no-such-host.invalid, true, 0.0.0.0",
    "no-such-host.invalid, false, 0.0.0.0"
  })
  void processListensOnLoopbackOnlyIfItsHostIsLoopback(
      String host, boolean encrypted, String expected) {
    Configuration configuration = Configuration.EMPTY.with(TlsOptions.INTERNAL_ENABLED, encrypted);
    assertThat(BindAddresses.toBind(host, configuration)).isEqualTo(expected);
  }
}
