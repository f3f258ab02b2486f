package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OneLineTest {
  @Test
  void joinsLines() {
    assertThat(Millrace.oneLine("  first  \r\n   second\nthird\n")).isEqualTo("first second third");
  }

  @Test
  void leavesOrdinaryTextAlone() {
    assertThat(Millrace.oneLine("two  spaces, naïve – and '7'"))
        .isEqualTo("two  spaces, naïve – and '7'");
  }

  @Test
  void takesTerminalControlAway() {
    assertThat(Millrace.oneLine("name\u001b[31m\u0007red")).isEqualTo("name [31m red");
  }
}
