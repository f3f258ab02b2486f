package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import io.millrace.soak.FaultBudget;
import io.millrace.soak.SoakRun;
import io.millrace.soak.SoakSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A short run of {@code tools/soak --jobmanagers 3}: each kind of fault once. */
class LeadershipFaultsIT {
  @RegisterExtension static final Shell SHELL = new Shell();

  @Test
  @Behaviour(
      "G3: with standbys and an ensemble of ZooKeeper servers, a job writes every result exactly"
          + " once although leaders are killed, frozen and cut off, their sessions end, servers are"
          + " lost and the recovery storage is gone")
  @Behaviour("G2: jobs that were acknowledged during such a fault run to their end")
  @Behaviour("G3: a cluster that has survived such faults leaves no process, node or file")
  void jobsSurviveEachFaultOfLeadersZooKeeperAndStorage() throws Exception {
    Path directory = Files.createTempDirectory(SHELL.directory(), "soak");
    SoakSettings settings =
        new SoakSettings(
            new FaultBudget(Duration.ofMinutes(10), Integer.MAX_VALUE, 1, 20_261_118),
            3,
            200,
            Shell.distribution(),
            directory,
            Map.of(),
            SHELL.environment());
    new SoakRun(settings, System.out).run();
    assertThat(directory.resolve("cluster/pids")).doesNotExist();
  }
}
