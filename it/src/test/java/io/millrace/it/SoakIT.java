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

/** A short run of {@code tools/soak}: each kind of fault once. */
class SoakIT {
  @RegisterExtension static final Shell SHELL = new Shell();

  @Test
  @Behaviour(
      "H4: a job that is killed, frozen, cut off, stopped and resumed writes every result exactly"
          + " once")
  void everyResultIsThereExactlyOnceAfterEachKindOfFault() throws Exception {
    Path directory = Files.createTempDirectory(SHELL.directory(), "soak");
    SoakSettings settings =
        new SoakSettings(
            new FaultBudget(Duration.ofMinutes(2), 8, 0, 20_261_117),
            1,
            500,
            Shell.distribution(),
            directory,
            Map.of(),
            SHELL.environment());
    new SoakRun(settings, System.out).run();
    assertThat(directory.resolve("cluster/pids")).doesNotExist();
  }
}
