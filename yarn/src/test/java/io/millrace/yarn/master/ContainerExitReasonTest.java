package io.millrace.yarn.master;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  @ParameterizedTest
  @CsvSource({
    "0, exit code 0",
    "-1000, never ran",
    "-100, (-100: its node is lost",
    "-101, disks of its node have failed (-101)",
    "-102, pre-empted",
    "-103, virtual memory",
    "-104, more memory than its container has (-104)",
    "-105, stopped (-105)",
    "-106, ResourceManager has killed its container (-106)",
    "-107, the application is over (-107)",
    "-108, guaranteed containers (-108)",
    "-109, logs (-109)",
    "1, exit code 1",
    "128, exit code 128",
    "129, killed by signal 1",
    "143, killed by signal 15",
    "-999, exit code -999"
  })
  void everyStatusHasAMeaning(int status, String expected) {
    assertThat(ContainerExitReason.reason(status, "")).contains(expected).doesNotContain(": null");
  }

  @Test
  void longDiagnosticsAreTruncatedToOneLine() {
    String reason = ContainerExitReason.reason(1, "first\n" + "x".repeat(1_000));
    assertThat(reason).hasSizeLessThan(430).endsWith("x…").doesNotContain("\n");
  }

  @Test
  void diagnosticsWithoutTextAddNothing() {
    assertThat(ContainerExitReason.reason(1, "\n  \n\tat a.B.c(B.java:1)\n"))
        .isEqualTo("exit code 1");
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
