package io.millrace.cli;

import io.millrace.cli.common.Console;
import io.millrace.cli.deployment.ClusterDirectory;
import io.millrace.client.ProcessEnvironment;
import io.millrace.client.testing.TestJars;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Commands called in this process, with streams and an environment of their own. */
public final class CommandLineHarness {
  private final Path directory;
  private final Map<String, String> environment = new LinkedHashMap<>();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  public CommandLineHarness(Path directory) {
    this.directory = directory;
    // Never the cluster of the user who runs the tests.
    environment.put(ClusterDirectory.VARIABLE, directory.resolve("cluster").toString());
    // Nor their session on YARN.
    environment.put("HOME", directory.resolve("home").toString());
  }

  /** Sets an environment variable. */
  public CommandLineHarness with(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  public int call(String... arguments) {
    out.reset();
    err.reset();
    return Millrace.run(console(), arguments);
  }

  public String out() {
    return out.toString(StandardCharsets.UTF_8);
  }

  public String err() {
    return err.toString(StandardCharsets.UTF_8);
  }

  /** A console whose output {@link #out} and {@link #err} return. */
  public Console console() {
    return new Console(
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8),
        new ProcessEnvironment(environment, Optional.of(directory)));
  }

  /** A jar that names {@link TestProgram}, whose class the test's class path has. */
  public String program() {
    return program(TestProgram.class.getName());
  }

  /** A jar whose manifest names this main class. */
  public String program(String mainClass) {
    return TestJars.jar(directory.resolve("program.jar"), mainClass, new LinkedHashMap<>())
        .toString();
  }

  /** A jar whose manifest names no main class. */
  public String programWithoutMainClass() {
    return TestJars.jar(directory.resolve("program.jar"), new LinkedHashMap<>()).toString();
  }
}
