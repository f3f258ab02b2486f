package io.millrace.cli.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClusterProcessTest {
  @ParameterizedTest
  @CsvSource({
    "jobmanager,0,true,false",
    "taskmanager-1,1,false,false",
    "taskmanager-42,42,false,false",
    "taskmanager-x,0,false,false",
    "taskmanager-1234567890,0,false,false",
    "process-00c0ffee-1,0,false,true"
  })
  void nameTellsTheKindAndNumber(String name, int number, boolean jobManager, boolean elastic) {
    ClusterProcess process = new ClusterProcess(name, 1, 1);
    assertThat(process.number()).isEqualTo(number);
    assertThat(process.isJobManager()).isEqualTo(jobManager);
    assertThat(process.isElastic()).isEqualTo(elastic);
  }

  @Test
  void namesOfTaskManagersAreNumbered() {
    assertThat(ClusterProcess.taskManager(3)).isEqualTo("taskmanager-3");
  }

  @Test
  void lostProcessIsDeadAndHasNoPid() {
    ClusterProcess lost = ClusterProcess.lost("jobmanager");
    assertThat(lost.isAlive()).isFalse();
    assertThat(lost.handle()).isEmpty();
    assertThat(lost.shownPid()).isEqualTo("unknown");
  }

  @Test
  void runningProcessIsAliveWithItsPid() {
    ClusterProcess own = ClusterProcess.of("jobmanager", ProcessHandle.current());
    assertThat(own.isAlive()).isTrue();
    assertThat(own.shownPid()).isEqualTo(String.valueOf(ProcessHandle.current().pid()));
    assertThat(own.toLine()).startsWith(own.shownPid());
  }

  @Test
  void processOfAnotherStartTimeIsAnotherProcess() {
    ClusterProcess own = ClusterProcess.of("jobmanager", ProcessHandle.current());
    assertThat(new ClusterProcess("jobmanager", own.pid(), own.startedAt() + 60_000).isAlive())
        .isFalse();
  }
}
