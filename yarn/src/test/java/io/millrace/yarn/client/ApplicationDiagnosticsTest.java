package io.millrace.yarn.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ApplicationDiagnosticsTest {
  @Test
  void endedProcessIsDescribedByItsExitCodeAndItsOutput() {
    assertThat(
            ApplicationDiagnostics.brief(
                """
                Application application_1_1 failed 1 times (global limit =2; local limit is =1) due\
                 to AM Container for appattempt_1_1_000001 exited with  exitCode: 1
                Failing this attempt.Diagnostics: [2026-11-16 12:07:25.460]Exception from\
                 container-launch.
                Last 4096 bytes of prelaunch.err :
                Last 4096 bytes of stderr.log :
                Error: Could not find or load main class Missing
                [2026-11-16 12:07:25.550]Container exited with a non-zero exit code 1.
                Last 4096 bytes of stderr.log :
                Error: Could not find or load main class Missing
                For more detailed output, check the application tracking page: http://x
                """))
        .isEqualTo(
            "The JobManager's process ended with exit code 1 and wrote: Error: Could not find or"
                + " load main class Missing");
  }

  @Test
  void processWithoutOutputIsDescribedByItsExitCode() {
    assertThat(
            ApplicationDiagnostics.brief(
                "due to AM Container for appattempt_1_1_000001 exited with exitCode: 7\nFailing"))
        .isEqualTo("The JobManager's process ended with exit code 7");
  }

  @Test
  void otherDiagnosticsAreOneLineWithoutTime() {
    assertThat(
            ApplicationDiagnostics.brief(
                "[Mon Nov 16 12:00:00 +0000 2026] Application is  added to the scheduler.\nWaiting"))
        .isEqualTo("Application is added to the scheduler. Waiting");
    assertThat(ApplicationDiagnostics.brief("")).isEmpty();
  }

  @Test
  void exitCodeOfAKilledContainerIsExplained() {
    assertThat(
            ApplicationDiagnostics.brief(
                "Application application_1_1 failed 1 times due to AM Container for"
                    + " appattempt_1_1_000001 exited with  exitCode: -103\nFailing this"
                    + " attempt.Diagnostics: [2026-11-18 05:00:00.000]Container [pid=7] is running"
                    + " 9B beyond the 'VIRTUAL' memory limit. Current usage: 160.1 MB of 1 GB"
                    + " physical memory used; 2.2 GB of 2.1 GB virtual memory used. Killing"
                    + " container.\nDump of the process-tree for container_1 :"))
        .isEqualTo(
            "The JobManager's process ended with exit code -103: YARN has killed it because it took"
                + " more virtual memory than its container may (-103): 2.2 GB of 2.1 GB virtual memory"
                + " used. Virtual memory is address space and not memory in use: have"
                + " yarn.nodemanager.vmem-check-enabled set to false or"
                + " yarn.nodemanager.vmem-pmem-ratio raised on the nodes, or raise"
                + " jobmanager.memory.process.size");
  }
}
