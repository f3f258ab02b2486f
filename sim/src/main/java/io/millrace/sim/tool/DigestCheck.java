package io.millrace.sim.tool;

import io.millrace.core.Sha256;
import io.millrace.sim.cluster.RunOutcome;
import io.millrace.sim.cluster.ScenarioRun;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/** Whether another JVM sees the same run, byte for byte. */
final class DigestCheck {
  private DigestCheck() {}

  /** A seed, how its run ended and a hash over the whole readable trace of it. */
  static String line(SimOptions wishes, long seed) {
    MessageDigest text = Sha256.begin();
    RunOutcome outcome =
        ScenarioRun.of(
            wishes.scenarioOf(seed),
            wishes.wiring(),
            new TextTrace(
                line -> {
                  text.update(line.getBytes(StandardCharsets.UTF_8));
                  text.update((byte) '\n');
                }));
    return seed
        + " "
        + (outcome.passed() ? "passed " : "failed ")
        + outcome.digest()
        + " "
        + HexFormat.of().formatHex(text.digest());
  }

  /** The same seeds in a JVM whose identity hash codes are all alike. */
  static List<String> elsewhere(SimOptions wishes, List<Long> seeds)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UnlockExperimentalVMOptions",
                "-XX:hashCode=2",
                "-XX:+UseSerialGC",
                // It lives too briefly for the second compiler to be worth its while.
                "-XX:TieredStopAtLevel=1",
                "-Dslf4j.internal.verbosity=ERROR",
                "-cp",
                System.getProperty("java.class.path"),
                Sim.class.getName(),
                "--digests",
                seeds.stream().map(String::valueOf).collect(Collectors.joining(","))));
    wishes.scenario().ifPresent(kind -> command.addAll(List.of("--scenario", kind.word())));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try {
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new IOException("The second JVM ended with " + process.exitValue() + ": " + output);
      }
      return output.lines().toList();
    } finally {
      process.destroyForcibly();
    }
  }
}
