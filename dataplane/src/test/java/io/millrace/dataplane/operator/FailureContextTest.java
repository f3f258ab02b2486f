package io.millrace.dataplane.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class FailureContextTest {
  /** A record without a toString of its own. */
  private static final class WithoutText {}

  /** A record whose toString throws. */
  private static final class Throwing {
    @Override
    public String toString() {
      throw new IllegalStateException("not telling");
    }
  }

  @Test
  void showsTheTextOfARecordInOneLineUpToALimit() {
    assertThat(shown(new WithoutText())).isEqualTo("a record of " + WithoutText.class.getName());
    assertThat(shown(new Throwing())).isEqualTo("a record of " + Throwing.class.getName());
    assertThat(shown("a\nb")).isEqualTo("record a b");
    assertThat(shown("x".repeat(1000))).isEqualTo("record " + "x".repeat(100) + "…");
  }

  private static String shown(Object record) {
    String message =
        new FailureContext(
                "o", "t", Optional.of(new FailureContext.OnRecord(record)), Optional.empty())
            .message("c");
    return message.substring("Operator 'o' of task t failed on ".length(), message.length() - 3);
  }
}
