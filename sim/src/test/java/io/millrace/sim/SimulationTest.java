package io.millrace.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.JobStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SimulationTest {
  private static final int SEEDS = 100;

  @Test
  void jobsFinishInEverySeedAndTwoJvmsSeeTheSameRuns() throws Exception {
    List<String> here = new ArrayList<>();
    for (long seed = 0; seed < SEEDS; seed++) {
      SmallCluster.Outcome outcome = SmallCluster.run(seed);
      assertThat(outcome.status()).as("seed %d", seed).isEqualTo(JobStatus.FINISHED);
      here.add(outcome.seed() + " " + outcome.status() + " " + outcome.digest());
    }
    assertThat(here).doesNotHaveDuplicates();
    assertThat(elsewhere()).isEqualTo(here);
  }

  @Test
  void slotsOfAnEndedJobAreSoonFree() {
    List<String> held = new ArrayList<>();
    for (long seed = 0; seed < 3 * SEEDS; seed++) {
      held.addAll(SmallCluster.slotsHeldAfterTheEnd(seed));
    }
    assertThat(held).isEmpty();
  }

  /** The same seeds in a JVM whose identity hash codes are all alike. */
  private static List<String> elsewhere() throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UnlockExperimentalVMOptions",
                "-XX:hashCode=2",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                SmallCluster.class.getName(),
                String.valueOf(SEEDS))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).isZero();
      return output.lines().toList();
    } finally {
      process.destroyForcibly();
    }
  }
}
