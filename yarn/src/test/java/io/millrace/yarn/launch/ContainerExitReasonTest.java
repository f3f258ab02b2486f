package io.millrace.yarn.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ContainerExitReasonTest {
  private static final String MEMORY_KILL =
      """
      [2026-11-16 11:45:54.150]Container [pid=7,containerID=container_1_1_1_1] is running 9B beyond \
      the 'PHYSICAL' memory limit. Current usage: 1.1 GB of 1 GB physical memory used; 2.9 GB of 2.1 GB \
      virtual memory used. Killing container.
      Dump of the process-tree for container_1_1_1_1 :
      \t|- PID PPID PGRPID SESSID CMD_NAME USER_MODE_TIME(MILLIS) SYSTEM_TIME(MILLIS) VMEM_USAGE(BYTES) FULL_CMD_LINE
      \t|- 7 5 7 7 (bash) 0 0 4362240 822 /bin/bash -c /usr/lib/jvm/bin/java -Xmx160m -cp lib/*
      \t|- 9 7 7 7 (java) 912 133 3113851392 288358 /usr/lib/jvm/bin/java -Xmx160m -cp lib/*

      [2026-11-16 11:45:54.151]Container killed on request. Exit code is 143
      [2026-11-16 11:45:54.152]Container exited with a non-zero exit code 143.\s
      """;

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
  @Behaviour("D9: the reason of a memory kill is the usage, the limit and the option to raise")
  void memoryKillsNameTheUsageAndTheOption() {
    assertThat(reason(-104, MEMORY_KILL))
        .isEqualTo(
            "YARN has killed it because it took more memory than its container has (-104): 1.1 GB"
                + " of 1 GB physical memory used. Raise taskmanager.memory.jvm-overhead.min, or find"
                + " out what takes it");
    assertThat(ContainerExitReason.of(ContainerRole.JOB_MANAGER, -103, MEMORY_KILL))
        .startsWith(
            "YARN has killed it because it took more virtual memory than its container may (-103):"
                + " 2.9 GB of 2.1 GB virtual memory used. Virtual")
        .contains("yarn.nodemanager.vmem-check-enabled")
        .endsWith("or raise jobmanager.memory.process.size");
  }

  @ParameterizedTest
  @ValueSource(ints = {143, 137, -105, -104, -103, 1})
  @Behaviour("D9: the reason of a memory kill is the usage, the limit and the option to raise")
  void processesOfTheContainerAreNotListed(int status) {
    assertThat(reason(status, MEMORY_KILL))
        .contains("memory used")
        .doesNotContain("process-tree", "|-", "/bin/bash", "\n")
        .hasSizeLessThan(500);
  }

  @ParameterizedTest
  @ValueSource(ints = {-104, -103})
  @Behaviour("D9: the reason of a memory kill is the usage, the limit and the option to raise")
  void endOfALongListOfProcessesIsLeftOut(int status) {
    // YARN keeps the last 10,000 characters.
    for (String rest : List.of("PPID PGRPID", "java -Xmx160m")) {
      assertThat(reason(status, MEMORY_KILL.substring(MEMORY_KILL.indexOf(rest))))
          .isEqualTo(reason(status, ""));
    }
  }

  @Test
  @Behaviour("D9: the reason of a worker on a node whose disks are full names them")
  void unhealthyNodeIsExplainedByItsReport() {
    assertThat(
            ContainerExitReason.ofUnhealthyNode(
                "1/1 local-dirs usable space is below configured utilization percentage/no more"
                    + " usable space [ /data : used space above threshold of 90.0% ] "))
        .isEqualTo(
            "YARN has taken its container back because its node is unhealthy (-100): 1/1 local-dirs"
                + " usable space is below configured utilization percentage/no more usable space ["
                + " /data : used space above threshold of 90.0% ]. Free space on the disks of the"
                + " node, or have"
                + " yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage"
                + " raised");
    assertThat(ContainerExitReason.ofUnhealthyNode("ERROR: the fan"))
        .endsWith("is unhealthy (-100): ERROR: the fan");
    assertThat(ContainerExitReason.ofUnhealthyNode(" ")).endsWith("is unhealthy (-100)");
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
