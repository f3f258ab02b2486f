package io.millrace.cluster;

import io.millrace.api.resource.ExternalResourceDriver;
import io.millrace.api.resource.ExternalResourceInfo;
import io.millrace.client.ConfigurationFile;
import io.millrace.core.config.Durations;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Runs a script that prints the indexes of an external resource. The arguments of the script are
 * the amount and the configured ones. It prints one index per line, or several separated by commas.
 */
final class DiscoveryScript implements ExternalResourceDriver {
  static final String PATH = "discovery-script.path";
  static final String ARGUMENTS = "discovery-script.args";

  private static final int MAX_ERROR_BYTES = 4096;
  private static final int MAX_OUTPUT_BYTES = 1 << 20;

  private final Duration timeout;

  DiscoveryScript() {
    this(Duration.ofSeconds(10));
  }

  DiscoveryScript(Duration timeout) {
    this.timeout = timeout;
  }

  @Override
  public List<ExternalResourceInfo> retrieveResourceInfo(
      long amount, Map<String, String> parameters) throws IOException, InterruptedException {
    Path script = path(parameters.get(PATH));
    List<String> command = new ArrayList<>();
    command.add(script.toString());
    command.add(String.valueOf(amount));
    for (String argument : parameters.getOrDefault(ARGUMENTS, "").split("\\s+")) {
      if (!argument.isEmpty()) {
        command.add(argument);
      }
    }
    return run(script, command).stream().map(ExternalResourceInfo::ofIndex).toList();
  }

  private static Path path(String configured) {
    Path path = ConfigurationFile.home().orElse(Path.of("")).resolve(configured).toAbsolutePath();
    if (!Files.isExecutable(path) || Files.isDirectory(path)) {
      throw new MillraceException(
          ErrorKind.USER,
          "the discovery script "
              + path
              + (Files.exists(path) ? " is not executable" : " does not exist")
              + " (param."
              + PATH
              + ")");
    }
    return path;
  }

  private List<String> run(Path script, List<String> command)
      throws IOException, InterruptedException {
    // Files instead of pipes: a pipe that is not read blocks a script with much output.
    Path output = Files.createTempFile("millrace-discovery", ".out");
    Path errors = Files.createTempFile("millrace-discovery", ".err");
    output.toFile().deleteOnExit();
    errors.toFile().deleteOnExit();
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
              .redirectOutput(output.toFile())
              .redirectError(errors.toFile());
      Process process;
      try (ScriptProcess running = new ScriptProcess()) {
        process = running.start(builder);
        if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
          kill(process);
          throw new MillraceException(
              ErrorKind.EXTERNAL,
              "the discovery script "
                  + script
                  + " did not end within "
                  + Durations.readable(timeout)
                  + " and was killed");
        }
      }
      if (process.exitValue() != 0) {
        String error = start(errors, MAX_ERROR_BYTES).strip();
        throw new MillraceException(
            ErrorKind.EXTERNAL,
            "the discovery script "
                + script
                + " ended with code "
                + process.exitValue()
                + (error.isEmpty()
                    ? ""
                    : ": " + error.substring(0, Math.min(500, error.length()))));
      }
      return start(output, MAX_OUTPUT_BYTES)
          .lines()
          .flatMap(line -> List.of(line.split(",")).stream())
          .map(String::strip)
          .filter(index -> !index.isEmpty())
          .toList();
    } finally {
      Files.delete(output);
      Files.delete(errors);
    }
  }

  /** The first bytes of a file, whose text may be in another character set. */
  private static String start(Path file, int bytes) throws IOException {
    try (InputStream content = Files.newInputStream(file)) {
      return new String(content.readNBytes(bytes), StandardCharsets.UTF_8);
    }
  }

  /**
   * Kills the script if the TaskManager is stopped meanwhile. The shutdown hook is registered
   * before the script starts and is synchronised with the start, so that it misses no script.
   */
  private static final class ScriptProcess implements AutoCloseable {
    private final Thread hook = new Thread(this::stop, "discovery-script-killer");
    private boolean stopped;
    private Process process;

    ScriptProcess() {
      Runtime.getRuntime().addShutdownHook(hook);
    }

    synchronized Process start(ProcessBuilder builder) throws IOException {
      if (stopped) {
        throw new IOException("The TaskManager is stopping.");
      }
      process = builder.start();
      return process;
    }

    private synchronized void stop() {
      stopped = true;
      if (process != null) {
        kill(process);
      }
    }

    @Override
    public void close() {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException e) {
        // The process is ending: the hook runs.
      }
    }
  }

  private static void kill(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}
