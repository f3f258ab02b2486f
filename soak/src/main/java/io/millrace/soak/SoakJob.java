package io.millrace.soak;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
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

/** The job of the run, which is stopped and resumed under changing ids. */
final class SoakJob {
  private static final Pattern ID = Pattern.compile("\\b[0-9a-f]{32}\\b");
  private static final Pattern SAVEPOINT = Pattern.compile("Savepoint completed\\. Path: (.*)");

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

  private final SoakCluster cluster;
  private final JobMonitor monitor;
  private final SoakSettings settings;
  private final SoakWorkload workload;
  private final Path checkpoints;
  private Optional<String> savepoint = Optional.empty();

  SoakJob(
      SoakCluster cluster,
      JobMonitor monitor,
      SoakSettings settings,
      SoakWorkload workload,
      Path checkpoints) {
    this.cluster = cluster;
    this.monitor = monitor;
    this.settings = settings;
    this.workload = workload;
    this.checkpoints = checkpoints;
  }

  /** Writes the program and its input. */
  void prepare() throws IOException {
    workload.writeLines(input());
    Files.createDirectories(savepoints());
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
        try (var in = SoakJob.class.getClassLoader().getResourceAsStream(entry)) {
          in.transferTo(out);
        }
        out.closeEntry();
      }
    }
  }

  private Path jar() {
    return settings.directory().resolve("soak-program.jar");
  }

  private Path input() {
    return settings.directory().resolve("lines.txt");
  }

  private Path savepoints() {
    return settings.directory().resolve("savepoints");
  }

  Path output() {
    return settings.directory().resolve("output");
  }

  /** Starts the job from the savepoint of its last stop, if there was one. */
  void submit(int parallelism, int rate) throws IOException, InterruptedException {
    Map<String, String> options = new TreeMap<>();
    options.put("execution.checkpointing.interval", "500 ms");
    options.put("execution.checkpointing.timeout", "30 s");
    options.put("execution.checkpointing.dir", checkpoints.toString());
    options.put("execution.checkpointing.tolerable-failed-checkpoints", "100000");
    options.put("restart-strategy.type", "fixed-delay");
    options.put("restart-strategy.fixed-delay.attempts", "100000");
    options.put("restart-strategy.fixed-delay.delay", "100 ms");
    options.putAll(settings.options());
    List<String> line = new ArrayList<>(List.of("run", "-t", "remote", "-d"));
    line.addAll(List.of("-p", String.valueOf(parallelism)));
    savepoint.ifPresent(path -> line.addAll(List.of("-s", path)));
    options.forEach((key, value) -> line.addAll(List.of("-D", key + "=" + value)));
    line.addAll(List.of(jar().toString(), input().toString(), output().toString()));
    line.add(String.valueOf(workload.generated()));
    line.add(String.valueOf(workload.keys()));
    line.add(String.valueOf(rate));
    SoakCluster.CommandResult submitted = cluster.run(line.toArray(String[]::new)).succeeded();
    Matcher id = ID.matcher(submitted.output());
    if (!id.find()) {
      throw new SoakException("No job id: " + submitted);
    }
    monitor.follow(id.group());
  }

  SoakCluster.RunningCommand startStop() throws IOException {
    return cluster.start("stop", monitor.job(), "-p", savepoints().toString());
  }

  /** The job has ended with the command: takes the savepoint from which it will be resumed. */
  void stopped(SoakCluster.CommandResult stop) throws IOException, InterruptedException {
    Matcher path = SAVEPOINT.matcher(stop.output());
    String taken;
    if (path.find()) {
      taken = path.group(1).strip();
    } else {
      // The command failed, but the job has stopped.
      taken =
          cluster
              .get("/jobs/" + monitor.job() + "/checkpoints")
              .map(answer -> answer.path("latest").path("savepoint").path("external_path"))
              .filter(JsonNode::isTextual)
              .map(JsonNode::asText)
              .orElseThrow(
                  () -> new SoakException("The job finished without a savepoint: " + stop));
    }
    if (savepoint.isPresent()) {
      cluster.run("savepoint", "dispose", savepoint.get()).succeeded();
    }
    savepoint = Optional.of(taken);
  }
}
