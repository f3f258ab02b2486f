package io.millrace.soak;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The program with one input and one output, in a directory of its own. */
final class ProgramRun {
  private static final Pattern ID = Pattern.compile("\\b[0-9a-f]{32}\\b");

  private static final List<String> CLASSES =
      List.of(
          "SoakProgram",
          "NumberedRecord",
          "PacedTextSource",
          "PacedTextSource$PacedReader",
          "RunningCount",
          "WindowTotal",
          "WindowTotal$Aggregate",
          "Reminders");

  private final Path directory;
  private final SoakWorkload workload;
  private final Map<String, String> options = new TreeMap<>();

  /**
   * Writes the program and its input to a directory.
   *
   * @param checkpoints where checkpoints are written
   * @param options of the job, in addition to those of each run
   */
  ProgramRun(Path directory, SoakWorkload workload, Path checkpoints, Map<String, String> options)
      throws IOException {
    this.directory = Files.createDirectories(directory);
    this.workload = workload;
    this.options.put("execution.checkpointing.interval", "500 ms");
    this.options.put("execution.checkpointing.timeout", "30 s");
    this.options.put("execution.checkpointing.dir", checkpoints.toString());
    this.options.put("execution.checkpointing.tolerable-failed-checkpoints", "100000");
    this.options.put("restart-strategy.type", "fixed-delay");
    this.options.put("restart-strategy.fixed-delay.attempts", "100000");
    this.options.put("restart-strategy.fixed-delay.delay", "100 ms");
    this.options.putAll(options);
    workload.writeLines(input());
    writeJar();
  }

  private void writeJar() throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest
        .getMainAttributes()
        .put(Attributes.Name.MAIN_CLASS, "io.millrace.soak.program.SoakProgram");
    try (OutputStream file = Files.newOutputStream(jar());
        JarOutputStream out = new JarOutputStream(file, manifest)) {
      for (String name : CLASSES) {
        String entry = "io/millrace/soak/program/" + name + ".class";
        out.putNextEntry(new JarEntry(entry));
        try (InputStream in = ProgramRun.class.getClassLoader().getResourceAsStream(entry)) {
          in.transferTo(out);
        }
        out.closeEntry();
      }
    }
  }

  private Path jar() {
    return directory.resolve("soak-program.jar");
  }

  private Path input() {
    return directory.resolve("lines.txt");
  }

  private Path output() {
    return directory.resolve("output");
  }

  /** The arguments of the launcher that submit it. */
  String[] line(int parallelism, int rate, Optional<String> savepoint) {
    List<String> line = new ArrayList<>(List.of("run", "-t", "remote", "-d"));
    line.addAll(List.of("-p", String.valueOf(parallelism)));
    savepoint.ifPresent(path -> line.addAll(List.of("-s", path)));
    options.forEach((key, value) -> line.addAll(List.of("-D", key + "=" + value)));
    line.addAll(List.of(jar().toString(), input().toString(), output().toString()));
    line.add(String.valueOf(workload.generated()));
    line.add(String.valueOf(workload.keys()));
    line.add(String.valueOf(rate));
    return line.toArray(String[]::new);
  }

  static Optional<String> jobId(SoakCluster.CommandResult submitted) {
    Matcher id = ID.matcher(submitted.output());
    return id.find() ? Optional.of(id.group()) : Optional.empty();
  }

  boolean hasOutput() {
    return Files.exists(output());
  }

  OutputVerifier verifier() {
    return new OutputVerifier(output(), workload);
  }
}
