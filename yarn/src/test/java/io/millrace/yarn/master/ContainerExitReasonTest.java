package io.millrace.yarn.master;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import org.junit.jupiter.api.Test;

class ContainerExitReasonTest {
  @Test
  @Behaviour("D9: killed workers and lost nodes are reported with YARN's diagnostics")
  void exitStatusIsExplained() {
    assertThat(ContainerExitReason.reason(-100, "")).contains("node is lost");
    assertThat(ContainerExitReason.reason(-102, "")).contains("pre-empted");
    assertThat(ContainerExitReason.reason(-104, ""))
        .contains("more memory")
        .contains("jvm-overhead");
    assertThat(ContainerExitReason.reason(137, "")).isEqualTo("its process was killed by signal 9");
    assertThat(ContainerExitReason.reason(3, "")).isEqualTo("exit code 3");
  }

  @Test
  void lastLinesAreAddedWithoutTimesAndStackTraces() {
    String diagnostics =
        """
        Exception from container-launch.
        \tat a.B.c(B.java:1)

        [2026-11-16 11:45:54.150]one
        [2026-11-16 11:45:54.151]two
        three
        """;
    assertThat(ContainerExitReason.reason(1, diagnostics))
        .isEqualTo("exit code 1: one / two / three");
  }
}
