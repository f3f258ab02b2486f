package io.millrace.sim.tool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class MutationRunTest {
  private static final Duration LONG = Duration.ofMinutes(10);

  private final ByteArrayOutputStream output = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(output, true, StandardCharsets.UTF_8);

  @Test
  void reportsRuleAndSeedThatDetectMutant() throws Exception {
    MutationRun.Build build =
        new MutationRun.Build(
            Path.of("..").toAbsolutePath().normalize(),
            System.getProperty("java.class.path"),
            System.getProperty("java.class.path"));
    SimOptions options =
        SimOptions.of(new String[] {"--mutants", "shared-blobs-removed", "--seeds", "24"});
    assertThat(new MutationRun(build, options, out, () -> false).run()).isTrue();
    assertThat(text())
        .containsPattern("shared-blobs-removed +BlobReferences +seed \\d+, \\w+")
        .contains("1 mutants: 1 caught by the simulator within 24 seeds (100.0 %)");
  }

  @Test
  void scanPrintsAllSeedsExceptSkippedOnes() throws Exception {
    scan("--scan", "all", "--seeds", "4", "--from", "1", "--skip", "2,3");
    assertThat(text().lines()).containsExactlyInAnyOrder("passed 1", "passed 4");
  }

  @Test
  void scanEndsWithFirstFailedSeed() throws Exception {
    scan("--scan", "first", "--seeds", "100000", "--sabotage", "slot-request-granted-twice");
    assertThat(text().lines()).anyMatch("failed 0 OfferedSlotsWereAllocated"::equals);
  }

  @Test
  void killsProcessWithoutOutput() throws Exception {
    ForkedRun fork = new ForkedRun(Duration.ofMillis(500), LONG);
    ForkedRun.Ended ended = fork.run(List.of("sleep", "600"), Path.of("."));
    assertThat(ended.hung()).isTrue();
  }

  @Test
  void killsProcessThatTakesTooLong() throws Exception {
    ForkedRun fork = new ForkedRun(LONG, Duration.ofMillis(500));
    ForkedRun.Ended ended =
        fork.run(List.of("sh", "-c", "while true; do echo on; sleep 0.05; done"), Path.of("."));
    assertThat(ended.hung()).isTrue();
  }

  @Test
  void returnsOutputAndExitCode() throws Exception {
    ForkedRun.Ended ended =
        new ForkedRun(LONG, LONG)
            .run(List.of("sh", "-c", "echo one; echo two; exit 3"), Path.of("."));
    assertThat(ended).isEqualTo(new ForkedRun.Ended(List.of("one", "two"), 3, false));
  }

  private void scan(String... arguments) throws Exception {
    assertThat(Sim.run(arguments, out, () -> false)).isZero();
  }

  private String text() {
    return output.toString(StandardCharsets.UTF_8);
  }
}
