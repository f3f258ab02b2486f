package io.millrace.yarn.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContainerExitReasonTest {
  @Test
  @Behaviour("D9: killed workers and lost nodes are reported with YARN's diagnostics")
  void exitStatusIsExplained() {
    assertThat(reason(-100, "")).contains("node is lost");
    assertThat(reason(-102, "")).contains("pre-empted");
    assertThat(reason(-104, "")).contains("more memory").contains("jvm-overhead");
    assertThat(reason(137, ""))
        .startsWith("its process was killed by signal 9 (KILL)")
        .contains("no memory left");
    assertThat(reason(3, "")).isEqualTo("exit code 3");
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
    assertThat(reason(status, "")).contains(expected).doesNotContain(": null");
  }

  @Test
  void longDiagnosticsAreTruncatedToOneLine() {
    String reason = reason(1, "first\n" + "x".repeat(1_000));
    assertThat(reason).hasSizeLessThan(430).endsWith("x…").doesNotContain("\n");
  }

  @Test
  void diagnosticsWithoutTextAddNothing() {
    assertThat(reason(1, "\n  \n\tat a.B.c(B.java:1)\n")).isEqualTo("exit code 1");
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
    assertThat(reason(1, diagnostics)).isEqualTo("exit code 1: one / two / three");
  }

  @Test
  void memoryKillsNameTheUsageAndTheOption() {
    String diagnostics =
        """
        [2026-11-16 11:45:54.150]Container [pid=7,containerID=container_1_1_1_1] is running 9B beyond \
        the 'PHYSICAL' memory limit. Current usage: 1.1 GB of 1 GB physical memory used; 2.9 GB of 2.1 GB \
        virtual memory used. Killing container.
        Dump of the process-tree for container_1_1_1_1 :
        \t|- PID PPID PGRPID SESSID CMD_NAME
        [2026-11-16 11:45:54.151]Container killed on request. Exit code is 143
        [2026-11-16 11:45:54.152]Container exited with a non-zero exit code 143.\s
        """;
    assertThat(reason(-104, diagnostics))
        .contains("(-104): 1.1 GB of 1 GB physical memory used")
        .endsWith("Raise taskmanager.memory.jvm-overhead.min, or find out what takes it");
    assertThat(ContainerExitReason.of(ContainerRole.JOB_MANAGER, -103, diagnostics))
        .contains("(-103): 1.1 GB of 1 GB physical memory used; 2.9 GB of 2.1 GB virtual memory")
        .contains("yarn.nodemanager.vmem-check-enabled", "jobmanager.memory.process.size");
  }

  @Test
  void linesThatRepeatTheExitCodeAreLeftOut() {
    assertThat(
            reason(
                137,
                """
                [2026-11-16 11:45:54.151]Container killed on request. Exit code is 137
                [2026-11-16 11:45:54.152]Container exited with a non-zero exit code 137.\s
                [2026-11-16 11:45:54.153]Killed by external signal
                """))
        .endsWith("or by a person");
  }

  private static String reason(int status, String diagnostics) {
    return ContainerExitReason.of(ContainerRole.TASK_MANAGER, status, diagnostics);
  }
}
