package io.millrace.cli.common;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SingleLineTest {
  @Test
  void joinsLines() {
    assertThat(SingleLine.of("  first  \r\n   second\nthird\n")).isEqualTo("first second third");
  }

  @Test
  void doesNotChangeOrdinaryText() {
    assertThat(SingleLine.of("two  spaces, naïve – and '7'"))
        .isEqualTo("two  spaces, naïve – and '7'");
  }

  @Test
  void removesTerminalControlCharacters() {
    assertThat(SingleLine.of("name\u001b[31m\u0007red")).isEqualTo("name [31m red");
  }
}
