package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.yarn.MiniHadoop;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Runs jobs on YARN and HDFS with some input. As a static extension of a test class it kills the
 * applications that a test has left.
 */
final class OnYarn implements BeforeAllCallback, AfterEachCallback {
  private static final Pattern APPLICATION = Pattern.compile("application_\\d+_\\d+");

  /** Smaller than the default, so that several fit into a small cluster. */
  private static final List<String> SIZES =
      List.of(
          "-D", "jobmanager.memory.process.size=768m",
          "-D", "taskmanager.memory.process.size=1g",
          "-D", "taskmanager.numberOfTaskSlots=2");

  private static final String LIBRARIES = "yarn.provided.lib.dirs=";

  private static int outputs;

  private final Shell shell;

  OnYarn(Shell shell) {
    this.shell = shell;
  }

  @Override
  public void beforeAll(ExtensionContext context) throws Exception {
    FileSystem files = hadoop().files();
    if (!files.exists(path("/input"))) {
      try (FSDataOutputStream out = files.create(path("/input/first"))) {
        out.write("the mill the stone\n".repeat(1_000).getBytes(StandardCharsets.UTF_8));
      }
      try (FSDataOutputStream out = files.create(path("/input/second"))) {
        out.write("the weir\n".getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    for (ApplicationReport open : running()) {
      hadoop().client().killApplication(open.getApplicationId());
    }
    Wait.untilTrue("no application runs", () -> running().isEmpty());
    // Other YARN clusters may run on this machine.
    for (ApplicationReport one : hadoop().client().getApplications()) {
      String id = one.getApplicationId().toString();
      Wait.untilTrue("no container of " + id + " runs", () -> containers(id).isEmpty());
    }
  }

  static MiniHadoop hadoop() {
    return MiniHadoop.running();
  }

  Outcome wordCount(String target, String output) throws IOException {
    return millrace(wordCountLine(target, output));
  }

  static String wordCountLine(String target, String output) {
    return "run "
        + target
        + " -p 2 "
        + Shell.example("word-count.jar")
        + " --input hdfs:///input --output hdfs://"
        + output;
  }

  Outcome millrace(String line) throws IOException {
    return start(Map.of(), line).await();
  }

  /** Adds the common options unless the line sets them. */
  Command start(Map<String, String> variables, String line) throws IOException {
    List<String> words = new ArrayList<>(List.of(line.split(" ")));
    if (words.get(0).equals("run") || line.startsWith("session start")) {
      int jar = 0;
      while (jar < words.size() && !words.get(jar).endsWith(".jar")) {
        jar++;
      }
      if (!line.contains("process.size") && !line.contains("-ytm")) {
        words.addAll(jar, SIZES);
      }
      if (!line.contains(LIBRARIES)) {
        words.addAll(jar, List.of("-D", LIBRARIES + "hdfs:///libraries"));
      }
    }
    Map<String, String> environment = new LinkedHashMap<>(hadoop().environment());
    environment.putAll(variables);
    return shell.start(environment, words.toArray(String[]::new));
  }

  /** A new directory name in HDFS. */
  static String output() {
    return "/output-" + ++outputs;
  }

  static ApplicationId applicationOf(Outcome outcome) {
    return ApplicationId.fromString(match(outcome.toString(), APPLICATION));
  }

  static ApplicationId applicationIn(String line) {
    return ApplicationId.fromString(match(line, APPLICATION));
  }

  static String jobOf(String text) {
    return match(text, Pattern.compile("\\b[0-9a-f]{32}\\b"));
  }

  private static String match(String text, Pattern wanted) {
    Matcher found = wanted.matcher(text);
    assertThat(found.find()).as("%s in %s", wanted, text).isTrue();
    return found.group();
  }

  static ApplicationReport ended(ApplicationId application) {
    return Wait.until(
        application + " ends", () -> Optional.of(report(application)).filter(OnYarn::hasEnded));
  }

  static boolean hasEnded(ApplicationReport report) {
    return report.getFinalApplicationStatus() != FinalApplicationStatus.UNDEFINED;
  }

  static ApplicationReport report(ApplicationId application) {
    try {
      return hadoop().client().getApplicationReport(application);
    } catch (YarnException | IOException e) {
      throw new AssertionError(e);
    }
  }

  static List<ApplicationReport> running() {
    try {
      return hadoop().client().getApplications().stream()
          .filter(
              report ->
                  report.getFinalApplicationStatus() == FinalApplicationStatus.UNDEFINED
                      && report.getYarnApplicationState() != YarnApplicationState.KILLED)
          .toList();
    } catch (YarnException | IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Processes whose working directory has this in its name. */
  static List<ProcessHandle> containers(String name) {
    return ProcessHandle.allProcesses()
        .filter(
            process -> {
              try {
                Path cwd = Path.of("/proc", String.valueOf(process.pid()), "cwd");
                return Files.readSymbolicLink(cwd).toString().contains(name)
                    && Shell.isRunning(process);
              } catch (IOException gone) {
                // The process is not readable or has ended.
                return false;
              }
            })
        .toList();
  }

  static Set<Long> pids(ApplicationId application, String mainClass) {
    Set<Long> pids = new TreeSet<>();
    for (ProcessHandle process : containers(application.toString())) {
      if (process.info().command().orElse("").endsWith("java")
          && arguments(process).stream().anyMatch(word -> word.endsWith(mainClass))) {
        pids.add(process.pid());
      }
    }
    return pids;
  }

  /** All arguments; the JDK truncates them to one page, which a class path fills. */
  private static List<String> arguments(ProcessHandle process) {
    Path file = Path.of("/proc", String.valueOf(process.pid()), "cmdline");
    try {
      return List.of(Files.readString(file, StandardCharsets.ISO_8859_1).split("\0"));
    } catch (IOException gone) {
      // The process has ended.
      return List.of();
    }
  }

  static void nothingIsStaged() {
    Wait.untilTrue(
        "no file of an application is left",
        () -> {
          try {
            FileSystem files = hadoop().files();
            org.apache.hadoop.fs.Path staging =
                new org.apache.hadoop.fs.Path(files.getHomeDirectory(), ".millrace");
            return !files.exists(staging) || files.listStatus(staging).length == 0;
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  static Set<String> counts(String directory) throws IOException {
    Set<String> lines = new TreeSet<>();
    FileSystem files = hadoop().files();
    for (FileStatus part : files.listStatus(path(directory))) {
      try (FSDataInputStream in = files.open(part.getPath())) {
        new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().forEach(lines::add);
      }
    }
    return lines;
  }

  static org.apache.hadoop.fs.Path path(String text) {
    return new org.apache.hadoop.fs.Path(text);
  }
}
