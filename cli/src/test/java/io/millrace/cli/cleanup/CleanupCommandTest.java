package io.millrace.cli.cleanup;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.CommandLineHarness;
import io.millrace.cli.common.ExitCodes;
import io.millrace.client.CleanupFinding;
import io.millrace.client.CleanupFinding.Verdict;
import io.millrace.client.CleanupRequest;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CleanupCommandTest {
  @TempDir private Path directory;
  private CommandLineHarness cli;

  @BeforeEach
  void prepare() {
    cli = new CommandLineHarness(directory).with(FakeCleanup.VARIABLE, "yes");
    FakeCleanup.answer(request -> List.of());
  }

  private static CleanupFinding finding(Verdict verdict, String item) {
    return new CleanupFinding(verdict, "files", item, "because of " + item);
  }

  @Test
  void defaultsRemoveWhatIsOlderThanAnHour() {
    assertThat(cli.call("cleanup")).isEqualTo(ExitCodes.OK);

    assertThat(cli.out()).isEqualTo("Nothing was found.\n");
    assertThat(FakeCleanup.last())
        .isEqualTo(new CleanupRequest(false, Duration.ofHours(1), false, false));
  }

  @Test
  void optionsReachEveryPlace() {
    assertThat(
            cli.call(
                "cleanup", "--dry-run", "--older-than", "2 d", "--with-jobs", "--unreferenced"))
        .isEqualTo(ExitCodes.OK);

    assertThat(FakeCleanup.last())
        .isEqualTo(new CleanupRequest(true, Duration.ofDays(2), true, true));
  }

  @Test
  void eachFindingIsALineAndTheLastLineCounts() {
    FakeCleanup.answer(
        request ->
            List.of(
                finding(Verdict.REMOVED, "/one"),
                finding(Verdict.KEPT, "/two"),
                finding(Verdict.REMOVED, "/three")));

    assertThat(cli.call("cleanup")).isEqualTo(ExitCodes.OK);

    List<String> lines = cli.out().lines().toList();
    assertThat(lines).hasSize(5);
    assertThat(lines.get(1)).matches("removed +files +/one +because of /one");
    assertThat(lines.get(2)).matches("kept +files +/two +because of /two");
    assertThat(lines.get(4)).isEqualTo("Removed 2, kept 1, failed 0.");

    assertThat(cli.call("cleanup", "--dry-run")).isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).contains("would remove").endsWith("Would remove 2, kept 1, failed 0.\n");
  }

  @Test
  void failureIsExitCode1() {
    FakeCleanup.answer(
        request -> List.of(finding(Verdict.REMOVED, "/one"), finding(Verdict.FAILED, "/two")));

    assertThat(cli.call("cleanup")).isEqualTo(ExitCodes.ERROR);

    assertThat(cli.out()).contains("failed ").endsWith("Removed 1, kept 0, failed 1.\n");
  }

  @Test
  void placeThatCannotBeReachedIsOneLine() {
    FakeCleanup.answer(
        request -> {
          throw new MillraceException(ErrorKind.EXTERNAL, "The manager\ndoes not answer.");
        });

    assertThat(cli.call("cleanup")).isEqualTo(ExitCodes.ERROR);

    assertThat(cli.err().lines()).hasSize(1);
    assertThat(cli.err()).contains("does not answer.");
    assertThat(cli.out()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"soon", "", "-1 h", "1 parsec", "999999999999999999 d", "99999999999999999999 d"})
  void ageThatIsNoneIsAUsageErrorBeforeAnythingIsRemoved(String age) {
    FakeCleanup.answer(
        request -> {
          throw new AssertionError("called");
        });

    assertThat(cli.call("cleanup", "--older-than", age)).isEqualTo(ExitCodes.USAGE);

    assertThat(cli.err()).contains("--older-than");
  }

  @Test
  void withoutAPlaceToLookNothingIsDone() {
    cli = new CommandLineHarness(directory);

    assertThat(cli.call("cleanup")).isNotEqualTo(ExitCodes.OK);

    assertThat(cli.err().lines()).hasSize(1);
    assertThat(cli.err()).contains("high-availability.type").contains("HADOOP_CONF_DIR");
  }

  @Test
  void argumentsAreRefused() {
    assertThat(cli.call("cleanup", "everything")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("'everything'");
  }

  @Test
  void unknownCoordinatorIsNamed() {
    assertThat(cli.call("cleanup", "-D", "high-availability.type=carrier-pigeon"))
        .isNotEqualTo(ExitCodes.OK);
    assertThat(cli.err().lines()).hasSize(1);
    assertThat(cli.err()).contains("carrier-pigeon");
  }
}
