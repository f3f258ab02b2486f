package io.millrace.sim.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.testing.Behaviour;
import io.millrace.sim.scenario.ScenarioKind;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SimTest {
  private final ByteArrayOutputStream output = new ByteArrayOutputStream();

  @Test
  void printsSummaryAndSucceedsIfAllRulesHold() throws Exception {
    assertThat(sim("--seeds", "2", "--from", "1")).isZero();
    assertThat(text().lines().toList()).last().isEqualTo("2 passed, 0 failed");
  }

  @Test
  void failureOfSimulatorIsNoSuccess() {
    SeedCampaign campaign =
        new SeedCampaign(
            SimOptions.of(new String[] {"--seeds", "2"}),
            new PrintStream(output, true, StandardCharsets.UTF_8),
            () -> {
              throw new NoClassDefFoundError("io/millrace/Missing");
            });
    assertThatThrownBy(campaign::run)
        .hasMessageContaining("simulator itself")
        .hasCauseInstanceOf(NoClassDefFoundError.class);
  }

  @Test
  @Behaviour("Simulation: a run can be shown message by message and as a self-contained page")
  void replayShowsMessagesFaultsAndDecisions() throws Exception {
    assertThat(sim("--replay", "1")).isZero();
    assertThat(text())
        .contains("client -> jobmanager-", "SubmitJob", "!! calm", "[jobmaster] job RUNNING");
  }

  @Test
  @Behaviour("Simulation: a run can be shown message by message and as a self-contained page")
  void drawsRunAsSelfContainedPage(@TempDir Path directory) throws Exception {
    Path page = directory.resolve("run.html");
    assertThat(sim("--replay", "1", "--html", page.toString())).isZero();
    assertThat(Files.readString(page))
        .startsWith("<!doctype html>")
        .contains("\"jobmanager-1\"", "SubmitJob", "everything held")
        .doesNotContain("/*DATA*/", "https://");
  }

  @Test
  void reportsSeedsAndRuleThatDetectSabotage() throws Exception {
    assertThat(sim("--sabotage", "slot-request-granted-twice", "--seeds", "20")).isZero();
    assertThat(text())
        .contains("not recognised", "tools/sim --replay", "--sabotage slot-request-granted-twice")
        .contains("The last journal entries:", "FAILED seed ")
        .endsWith(" by OfferedSlotsWereAllocated\n");
  }

  @Test
  void searchesSabotageForRuleThatIsNeverFirst() {
    SimOptions options = SimOptions.of(new String[] {"--sabotage", "all", "--seeds", "2000"});
    assertThat(SabotageSearch.forRule("WorkersWithPartitionsAreNotIdle", options, () -> false))
        .contains("partitions-not-reported");
    assertThat(SabotageSearch.forRule("WorkersWithPartitionsAreNotIdle", options, () -> true))
        .isEmpty();
  }

  @Test
  void failsIfSabotageIsNotDetected() throws Exception {
    // Without faults there is only one leader.
    assertThat(sim("--sabotage", "terms-reserved-once", "--scenario", "calm", "--seeds", "2"))
        .isEqualTo(1);
    assertThat(text().lines().toList()).last().isEqualTo("NOT caught in 2 seeds");
  }

  @Test
  @Behaviour("Simulation: wrong arguments are refused in one line with exit code 2")
  void rejectsInvalidArgumentsInOneLine() throws Exception {
    assertThat(refusal("--sedes", "3")).contains("no option '--sedes'");
    assertThat(refusal("--scenario", "peace"))
        .contains("no kind of scenario 'peace'", "calm, workers");
    assertThat(refusal("--sabotage", "tea")).contains("no sabotage 'tea'");
    assertThat(refusal("--mutants", "tea")).contains("no mutant 'tea'");
    assertThat(refusal("--seeds", "many")).contains("--seeds needs a number, not 'many'");
    assertThat(refusal("--seeds", "0")).contains("--seeds needs a number above 0, not 0");
    assertThat(refusal("--minutes", "-1")).contains("--minutes needs a number above 0");
    assertThat(refusal("--from")).contains("--from needs a value");
    assertThat(refusal("--html", "x.html")).contains("add --replay");
    assertThat(refusal("--replay", "1", "--sabotage", "all")).contains("name one sabotage");
    assertThat(refusal("--replay", "1", "--without", "f99")).contains("no part 'f99'");
  }

  @Test
  void helpShowsUsageAndSabotages() throws Exception {
    assertThat(sim("--help")).isZero();
    assertThat(text())
        .contains("tools/sim --seeds N", "Example", "calm, workers", "slot-release-lost");
  }

  @Test
  void nightlyRunHasAllKindsOfScenarios() {
    SimOptions nightly = SimOptions.of(new String[] {"--nightly"});
    SimOptions usual = SimOptions.of(new String[0]);
    Set<ScenarioKind> kinds = EnumSet.noneOf(ScenarioKind.class);
    for (long seed = 0; seed < 100; seed++) {
      ScenarioKind kind = nightly.scenarioOf(seed).kind();
      kinds.add(kind);
      if (kind != ScenarioKind.ZOOKEEPER) {
        assertThat(kind).as("seed %d", seed).isEqualTo(usual.scenarioOf(seed).kind());
      }
    }
    assertThat(kinds).containsExactly(ScenarioKind.values());
  }

  @Test
  @Behaviour("Simulation: an interrupted run prints its results so far")
  void printsResultsSoFarIfInterrupted() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    String[] arguments = {"--seeds", "100000", "--from", "1"};
    try (PrintStream out = new PrintStream(output, true, StandardCharsets.UTF_8)) {
      assertThat(Sim.run(arguments, out, () -> calls.incrementAndGet() > 3)).isZero();
    }
    assertThat(text()).startsWith("Interrupted").contains("seeds per second", " passed, 0 failed");
    assertThat(text()).doesNotContain("100000 ");
  }

  @Test
  @Behaviour("Simulation: a failure is shrunk, and the printed command repeats it")
  void shrinksFailureAndPrintsReplayCommand() throws Exception {
    assertThat(
            sim("--sabotage", "slot-request-granted-twice", "--scenario", "mixed", "--seeds", "20"))
        .isZero();
    String replay =
        text().lines().filter(line -> line.contains("Replay: ")).findFirst().orElseThrow();
    String violation =
        text()
            .lines()
            .dropWhile(line -> !line.contains("Should hold"))
            .skip(1)
            .findFirst()
            .orElseThrow();
    assertThat(replay).contains("--replay ", " --scenario mixed --without ");
    output.reset();

    assertThat(sim(replay.replaceAll(".*tools/sim ", "").split(" "))).isEqualTo(1);

    assertThat(text()).contains(violation);
    assertThat(text().lines().filter(line -> line.startsWith("fault "))).isEmpty();
    assertThat(text().lines().filter(line -> line.startsWith("act "))).hasSize(1);
  }

  private String refusal(String... arguments) throws Exception {
    output.reset();
    assertThat(sim(arguments)).isEqualTo(2);
    assertThat(text().lines()).hasSize(1);
    assertThat(text()).contains("tools/sim --help");
    return text();
  }

  private int sim(String... arguments) throws Exception {
    try (PrintStream out = new PrintStream(output, true, StandardCharsets.UTF_8)) {
      return Sim.run(arguments, out, () -> false);
    }
  }

  private String text() {
    return output.toString(StandardCharsets.UTF_8);
  }
}
