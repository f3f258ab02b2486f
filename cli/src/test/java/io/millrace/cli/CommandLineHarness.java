package io.millrace.cli;

import io.millrace.cli.common.Console;
import io.millrace.cli.deployment.ClusterDirectory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/** Commands called in this process, with streams and an environment of their own. */
public final class CommandLineHarness {
  private final Path directory;
  private final Map<String, String> environment = new LinkedHashMap<>();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  public CommandLineHarness(Path directory) {
    this.directory = directory;
    // Never the cluster of whoever runs the tests.
    environment.put(ClusterDirectory.VARIABLE, directory.resolve("cluster").toString());
    // Nor the session on YARN.
    environment.put("HOME", directory.resolve("home").toString());
  }

  public int call(String... arguments) {
    out.reset();
    err.reset();
    Console console =
        new Console(
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            environment,
            Optional.of(directory));
    return Millrace.run(console, arguments);
  }

  public String out() {
    return out.toString(StandardCharsets.UTF_8);
  }

  public String err() {
    return err.toString(StandardCharsets.UTF_8);
  }

  public Console console() {
    return new Console(System.out, System.err, environment, Optional.of(directory));
  }

  /** A jar that names {@link TestProgram}, whose class the test's class path has. */
  public String program() throws IOException {
    return program(Optional.of(TestProgram.class.getName()));
  }

  public String program(Optional<String> mainClass) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    mainClass.ifPresent(name -> manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, name));
    Path jar = directory.resolve("program.jar");
    new JarOutputStream(Files.newOutputStream(jar), manifest).close();
    return jar.toString();
  }
}
