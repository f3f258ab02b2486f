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

/** Checks that a run is the same in another JVM, byte for byte. */
final class DigestCheck {
  private DigestCheck() {}

  /** The seed, its result, the digest of the run and a hash of its text trace. */
  static String line(SimOptions options, long seed) {
    MessageDigest text = Sha256.begin();
    RunOutcome outcome =
        ScenarioRun.of(
            options.scenarioOf(seed),
            options.wiring(),
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

  /** The lines of the same seeds in another JVM, in which all identity hash codes are equal. */
  static List<String> inOtherJvm(SimOptions options, List<Long> seeds)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UnlockExperimentalVMOptions",
                "-XX:hashCode=2",
                "-XX:+UseSerialGC",
                // The process is too short for C2 to pay off.
                "-XX:TieredStopAtLevel=1",
                "-Dslf4j.internal.verbosity=ERROR",
                "-cp",
                System.getProperty("java.class.path"),
                Sim.class.getName(),
                "--digests",
                seeds.stream().map(String::valueOf).collect(Collectors.joining(","))));
    if (options.nightly()) {
      command.add("--nightly"); // It decides on the kinds of scenarios.
    }
    options.scenario().ifPresent(kind -> command.addAll(List.of("--scenario", kind.word())));
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
