package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CrossSiteCheckTest {
  private final CrossSiteCheck check =
      new CrossSiteCheck("Gateway.Internal", List.of("https://dashboard.example"));

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        // method, host, origin, site, mode, status
        "GET, 127.0.0.1:8081, '', '', '', -",
        "GET, localhost, '', '', '', -",
        "GET, LOCALHOST:1, '', '', '', -",
        "GET, [::1]:8081, '', '', '', -",
        "GET, [::1], '', '', '', -",
        "GET, 127.9.9.9:80, '', '', '', -",
        "GET, gateway.internal:8081, '', '', '', -",
        "GET, '', '', '', '', 400",
        "GET, evil.example, '', '', '', 403",
        "GET, 127.0.0.1.evil.example, '', '', '', 403",
        "GET, localhost.evil.example:8081, '', '', '', 403",
        "GET, 192.168.0.1, '', '', '', 403",
        "POST, localhost:1, http://localhost:1, '', '', -",
        "POST, localhost:1, http://localhost:2, '', '', 403",
        "POST, localhost:1, https://evil.example, '', '', 403",
        "POST, localhost:1, null, '', '', 403",
        "POST, localhost:1, '::garbage', '', '', 403",
        "GET, localhost:1, '', cross-site, navigate, -",
        "GET, localhost:1, '', cross-site, no-cors, 403",
        "POST, localhost:1, '', cross-site, navigate, 403",
        "POST, localhost:1, '', same-origin, cors, -",
        "POST, localhost:1, https://Dashboard.example, cross-site, cors, -",
        "POST, localhost:1, http://dashboard.example, cross-site, cors, 403",
        "POST, localhost:1, https://dashboard.example.evil.example, cross-site, cors, 403",
        "POST, evil.example, https://dashboard.example, cross-site, cors, 403",
      })
  void acceptsOnlyRequestsForOwnHostFromOwnSite(
      String method, String host, String origin, String site, String mode, Integer status) {
    assertThat(
            check
                .refusal(method, new CrossSiteCheck.Headers(host, origin, site, mode))
                .map(RestError::status)
                .orElse(null))
        .isEqualTo(status);
  }
}
