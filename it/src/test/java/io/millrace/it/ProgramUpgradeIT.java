package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The walk-through of docs/guide.md: the second version of a program replaces the first. */
class ProgramUpgradeIT {
  /** Of as many payments, some of each account give an alert. */
  private static final int ROUND = 50;

  private static final int INTERVAL_MILLIS = 1000;

  @RegisterExtension static final Shell SHELL = new Shell();

  @Test
  @Behaviour("A2: the next version of a program continues from the savepoint of the one before")
  void theNextVersionContinuesWithStateAndTimersOfTheFirst() throws Exception {
    Path alerts = SHELL.directory().resolve("alerts");
    Path savepoints = Files.createDirectory(SHELL.directory().resolve("upgrades"));
    String first = Shell.example("fraud-alerts.jar").toString();
    String second = Shell.example("fraud-alerts-v2.jar").toString();
    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "1", "--slots", "1")) {
      String job =
          cluster.submit(
              "-D",
              "execution.checkpointing.interval=1 s",
              first,
              "--rate",
              "100",
              "--output",
              alerts.toString());
      Wait.untilTrue("the first version has written alerts", () -> !lines(alerts).isEmpty());
      String savepoint = cluster.millrace("savepoint", job, savepoints.toString()).savepointPath();
      assertThat(cluster.millrace("savepoint", "inspect", savepoint).succeeded().out())
          .anyMatch(line -> line.contains("suspect: keyed, value"));
      assertThat(
              SHELL
                  .millrace(
                      "savepoint",
                      "inspect",
                      "--operator",
                      "detect",
                      "--state",
                      "suspect",
                      "--limit",
                      "1",
                      savepoint)
                  .succeeded()
                  .out())
          .allMatch(line -> line.matches("\\{\"key\":\"account-\\d\",\"value\":\\d+}"));
      String[] upgrade = {second, "--rate", "100000", "--output", alerts.toString()};
      assertThat(
              SHELL.millrace(with(upgrade, "run", "-s", savepoint, "--dry-run")).succeeded().out())
          .anyMatch(line -> line.contains("Operator 'detect'") && line.contains("starts with"));
      assertThat(cluster.rest().state(job)).isEqualTo("RUNNING");

      String stopped = cluster.millrace("stop", "-p", savepoints.toString(), job).savepointPath();
      int before = lines(alerts).size();
      // However long the first version took, the second one has payments of all accounts left.
      int payments = (lastPayment(lines(alerts)) / ROUND + 20) * ROUND;
      cluster
          .run(
              with(
                  new String[] {
                    second,
                    "--rate",
                    "100000",
                    "--count",
                    String.valueOf(payments),
                    "--output",
                    alerts.toString()
                  },
                  "-s",
                  stopped,
                  "-D",
                  "execution.checkpointing.interval=1 s"))
          .succeeded();
      List<String> all = lines(alerts);
      assertThat(all.stream().map(ProgramUpgradeIT::payment))
          .as("each suspicious payment has one alert, of either version")
          .containsExactlyInAnyOrderElementsOf(expected(payments));
      assertThat(all.stream().filter(line -> line.split("\t", -1).length == 3)).hasSize(before);
      assertThat(all.stream().filter(line -> line.endsWith("\t1")))
          .as("each account has a first alert of the second version")
          .hasSize(10);
    }
  }

  private static String[] with(String[] program, String... options) {
    List<String> line = new ArrayList<>(List.of(options));
    line.addAll(List.of(program));
    return line.toArray(String[]::new);
  }

  /** Account and time of an alert of either version. */
  private static String payment(String alert) {
    String[] parts = alert.split("\t", -1);
    return parts[0] + "\t" + parts[1];
  }

  /** The number of the last payment with an alert. */
  private static int lastPayment(List<String> alerts) {
    return alerts.stream()
        .mapToInt(alert -> Integer.parseInt(alert.split("\t", -1)[1]) / INTERVAL_MILLIS)
        .max()
        .orElseThrow();
  }

  private static List<String> expected(int payments) {
    List<String> expected = new ArrayList<>();
    for (long index = 0; index < payments; index++) {
      if (index / 10 % 5 == 1) {
        expected.add("account-" + index % 10 + "\t" + index * INTERVAL_MILLIS);
      }
    }
    return expected;
  }

  private static List<String> lines(Path directory) {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    List<String> lines = new ArrayList<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(ProgramUpgradeIT::isPart).sorted().toList()) {
        lines.addAll(Files.readAllLines(file));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return lines;
  }

  private static boolean isPart(Path file) {
    return file.getFileName().toString().startsWith("part-");
  }
}
