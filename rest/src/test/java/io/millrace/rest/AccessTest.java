package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AccessTest {
  private final Access access =
      new Access(Optional.of("0123456789abcdef"), List.of("10.0.0.7", "10.0.0.8"));

  @ParameterizedTest
  @CsvSource({
    // method, authorization, from, served
    "GET, Bearer 0123456789abcdef, 10.1.1.1, true",
    "POST, Bearer 0123456789abcdef, 10.1.1.1, true",
    "DELETE, bearer 0123456789abcdef, 10.1.1.1, true",
    "GET, '', 10.1.1.1, false",
    "GET, '', 127.0.0.1, false",
    "GET, Bearer 0123456789abcdeF, 10.1.1.1, false",
    "GET, Bearer 0123456789abcde, 10.1.1.1, false",
    "GET, Bearer, 10.1.1.1, false",
    "GET, Basic 0123456789abcdef, 10.1.1.1, false",
    "GET, 0123456789abcdef, 10.1.1.1, false",
    // A proxy that knows its users reads, and does no more.
    "GET, '', 10.0.0.7, true",
    "HEAD, '', 10.0.0.8, true",
    "POST, '', 10.0.0.7, false",
    "PATCH, '', 10.0.0.7, false",
    "DELETE, '', 10.0.0.7, false",
  })
  void servesThoseWhoKnowTheToken(
      String method, String authorization, String from, boolean served) {
    assertThat(access.refusal(method, authorization, from).isEmpty()).isEqualTo(served);
  }

  @ParameterizedTest
  @CsvSource({"GET", "POST"})
  void servesEverybodyWhereThereIsNoToken(String method) {
    assertThat(Access.OPEN.refusal(method, "", "127.0.0.1")).isEmpty();
  }
}
