package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.GatedCount;
import io.millrace.yarn.MiniHadoop;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs on a real YARN and a real HDFS, started as a user would, with real containers. */
class YarnIT {
  @RegisterExtension static final Shell SHELL = new Shell();

  private static final Pattern APPLICATION = Pattern.compile("application_\\d+_\\d+");

  /** Smaller than by default, so that several fit into a small cluster. */
  private static final List<String> SIZES =
      List.of(
          "-D", "jobmanager.memory.process.size=768m",
          "-D", "taskmanager.memory.process.size=1g",
          "-D", "taskmanager.numberOfTaskSlots=2");

  private static MiniHadoop hadoop;
  private static FileSystem files;
  private static YarnClient yarn;
  private static Map<String, String> environment;
  private static int outputs;

  @BeforeAll
  static void start() throws Exception {
    hadoop = MiniHadoop.running();
    files = hadoop.files();
    yarn = YarnClient.createYarnClient();
    yarn.init(hadoop.configuration());
    yarn.start();
    environment = Map.of("HADOOP_CONF_DIR", hadoop.configurationDirectory().toString());
    try (FSDataOutputStream out = files.create(path("/input/first"))) {
      out.write("the mill the stone\n".repeat(1_000).getBytes(StandardCharsets.UTF_8));
    }
    try (FSDataOutputStream out = files.create(path("/input/second"))) {
      out.write("the weir\n".getBytes(StandardCharsets.UTF_8));
    }
  }

  @AfterAll
  static void stop() {
    yarn.stop();
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    for (ApplicationReport open : running()) {
      yarn.killApplication(open.getApplicationId());
    }
    Wait.untilTrue("no application runs", () -> running().isEmpty());
    Wait.untilTrue("no container runs", () -> containers("application_").isEmpty());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"-t yarn-per-job", "-t yarn-application", "-m yarn-cluster -ys 2 -ytm 1024"})
  void wordsAreCounted(String target) throws Exception {
    String output = output();
    Outcome ran = wordCount(target, output).succeeded();
    assertThat(counts(output)).containsExactly("mill\t1000", "stone\t1000", "the\t2001", "weir\t1");
    ApplicationReport report = ended(applicationOf(ran));
    assertThat(report.getYarnApplicationState()).isEqualTo(YarnApplicationState.FINISHED);
    assertThat(report.getFinalApplicationStatus()).isEqualTo(FinalApplicationStatus.SUCCEEDED);
    nothingIsStaged();
    Wait.untilTrue(
        "no process of the application is left",
        () -> containers(report.getApplicationId().toString()).isEmpty());
  }

  @Test
  void sessionRunsJobAfterJob() throws Exception {
    ApplicationId session = applicationOf(millrace("session start -t yarn-session -d").succeeded());
    for (String target : List.of("-t yarn-session", "-yid " + session)) {
      String output = output();
      wordCount(target, output).succeeded();
      assertThat(counts(output)).contains("the\t2001").hasSize(4);
    }
    // Through the web proxy everybody may read whom YARN lets, and nobody does more.
    String page = hadoop.configuration().get("yarn.resourcemanager.webapp.address");
    Rest proxy = new Rest(page + "/proxy/" + session);
    assertThat(proxy.get("/overview").path("jobs-finished").asInt()).isEqualTo(2);
    assertThat(millrace("session list").succeeded().out().toString()).contains(session.toString());
    millrace("session stop " + session).succeeded();
    assertThat(ended(session).getFinalApplicationStatus())
        .isEqualTo(FinalApplicationStatus.SUCCEEDED);
    nothingIsStaged();
  }

  @ParameterizedTest
  @ValueSource(strings = {"yarn-per-job", "yarn-application"})
  void failureIsToldWithItsCause(String target) throws Exception {
    Outcome failed =
        millrace(
            "run -t "
                + target
                + " "
                + Shell.example("word-count.jar")
                + " --input hdfs:///missing");
    assertThat(failed.code()).as("%s", failed).isEqualTo(3);
    assertThat(String.join("\n", failed.err())).contains("/missing' does not exist");
    ApplicationReport report = ended(applicationOf(failed));
    assertThat(report.getFinalApplicationStatus()).isEqualTo(FinalApplicationStatus.FAILED);
    assertThat(report.getDiagnostics()).contains("/missing' does not exist");
    nothingIsStaged();
  }

  @Test
  void cancelledJobEndsItsCluster() throws Exception {
    Outcome submitted =
        millrace("run -d -t yarn-per-job " + Shell.example("rate-counter.jar")).succeeded();
    ApplicationId application = applicationOf(submitted);
    String job = match(submitted, Pattern.compile("\\b[0-9a-f]{32}\\b"));
    millrace("cancel -yid " + application + " " + job).succeeded();
    assertThat(ended(application).getFinalApplicationStatus())
        .isEqualTo(FinalApplicationStatus.KILLED);
    nothingIsStaged();
  }

  /** A TaskManager is replaced; a JobManager is followed by one that has the same TaskManagers. */
  @ParameterizedTest
  @ValueSource(strings = {"TaskManagerProcess", "YarnJobProcess"})
  void jobOutlivesAKilledProcess(String victim, @TempDir Path own) throws Exception {
    Path output = Files.createDirectory(own.resolve("output"));
    Path jar = ProgramJar.of(own, GatedCount.class);
    ApplicationId application =
        applicationOf(
            millrace(
                    "run -d -t yarn-per-job -p 2 -D high-availability.type=file"
                        + " -D yarn.application-attempts=2 -D restart-strategy.type=fixed-delay"
                        + " -D restart-strategy.fixed-delay.delay=100ms "
                        + jar
                        + " "
                        + output)
                .succeeded());
    Wait.untilTrue("the job is in its middle", () -> Files.exists(output.resolve("reached")));
    Set<Long> workers = pids(application, "TaskManagerProcess");
    Set<Long> before = pids(application, victim);
    assertThat(before).hasSize(1);

    ProcessHandle.of(before.iterator().next()).orElseThrow().destroyForcibly();
    Wait.untilTrue(
        "another one is there",
        () -> {
          Set<Long> now = pids(application, victim);
          return now.size() == 1 && !now.equals(before);
        });
    Files.createFile(output.resolve("gate"));
    Set<Long> seen = new TreeSet<>();
    ApplicationReport report =
        Wait.until(
            application + " ends",
            () -> {
              seen.addAll(pids(application, "TaskManagerProcess"));
              return Optional.of(report(application)).filter(YarnIT::hasEnded);
            });
    assertThat(report.getFinalApplicationStatus())
        .as(report.getDiagnostics())
        .isEqualTo(FinalApplicationStatus.SUCCEEDED);
    List<String> counts = new ArrayList<>();
    try (Stream<Path> parts = Files.list(output.resolve("counts"))) {
      for (Path part : parts.toList()) {
        counts.addAll(Files.readAllLines(part));
      }
    }
    assertThat(counts).hasSize(1000).allMatch(line -> line.endsWith("\t1000"));
    if (victim.equals("YarnJobProcess")) {
      assertThat(seen).as("the TaskManagers of the first JobManager").isEqualTo(workers);
    }
    nothingIsStaged();
  }

  @Test
  void wrongDemandsAreRefusedBeforeAnythingIsUploaded() throws Exception {
    assertThat(
            wordCount("-t yarn-per-job -D yarn.application.queue=nowhere", output())
                .refusedInOneLine())
        .contains("nowhere", "default");
    assertThat(
            wordCount("-t yarn-per-job -D taskmanager.memory.process.size=99g", output())
                .refusedInOneLine())
        .contains("taskmanager.memory.process.size", String.valueOf(MiniHadoop.MAXIMUM_MB));
    nothingIsStaged();
  }

  private static Outcome wordCount(String target, String output) throws IOException {
    return millrace(
        "run "
            + target
            + " -p 2 "
            + Shell.example("word-count.jar")
            + " --input hdfs:///input --output hdfs://"
            + output);
  }

  private static Outcome millrace(String line) throws IOException {
    List<String> words = new ArrayList<>(List.of(line.split(" ")));
    if (words.get(0).equals("run") || line.startsWith("session start")) {
      int jar = 0;
      while (jar < words.size() && !words.get(jar).endsWith(".jar")) {
        jar++;
      }
      if (!line.contains("process.size") && !line.contains("-ytm")) {
        words.addAll(jar, SIZES);
      }
    }
    return SHELL.millrace(environment, words.toArray(String[]::new));
  }

  private static String output() {
    return "/output-" + ++outputs;
  }

  private static ApplicationId applicationOf(Outcome outcome) {
    return ApplicationId.fromString(match(outcome, APPLICATION));
  }

  private static String match(Outcome outcome, Pattern wanted) {
    Matcher found = wanted.matcher(outcome.toString());
    assertThat(found.find()).as("%s in %s", wanted, outcome).isTrue();
    return found.group();
  }

  private static ApplicationReport ended(ApplicationId application) {
    return Wait.until(
        application + " ends", () -> Optional.of(report(application)).filter(YarnIT::hasEnded));
  }

  private static boolean hasEnded(ApplicationReport report) {
    return report.getFinalApplicationStatus() != FinalApplicationStatus.UNDEFINED;
  }

  private static ApplicationReport report(ApplicationId application) {
    try {
      return yarn.getApplicationReport(application);
    } catch (YarnException | IOException e) {
      throw new AssertionError(e);
    }
  }

  private static List<ApplicationReport> running() {
    try {
      return yarn.getApplications().stream()
          .filter(
              report ->
                  report.getFinalApplicationStatus() == FinalApplicationStatus.UNDEFINED
                      && report.getYarnApplicationState() != YarnApplicationState.KILLED)
          .toList();
    } catch (YarnException | IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Processes that run in a directory whose name has this in it. */
  private static List<ProcessHandle> containers(String name) {
    return ProcessHandle.allProcesses()
        .filter(
            process -> {
              try {
                Path cwd = Path.of("/proc", String.valueOf(process.pid()), "cwd");
                return Files.readSymbolicLink(cwd).toString().contains(name)
                    && Shell.isRunning(process);
              } catch (IOException gone) {
                // Not ours to read, or over since it was listed.
                return false;
              }
            })
        .toList();
  }

  private static Set<Long> pids(ApplicationId application, String mainClass) {
    Set<Long> pids = new TreeSet<>();
    for (ProcessHandle process : containers(application.toString())) {
      if (process.info().command().orElse("").endsWith("java")
          && process.info().commandLine().orElse("").contains(mainClass)) {
        pids.add(process.pid());
      }
    }
    return pids;
  }

  private static void nothingIsStaged() {
    Wait.untilTrue(
        "no file of an application is left",
        () -> {
          try {
            org.apache.hadoop.fs.Path staging =
                new org.apache.hadoop.fs.Path(files.getHomeDirectory(), ".millrace");
            return !files.exists(staging) || files.listStatus(staging).length == 0;
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  private static Set<String> counts(String directory) throws IOException {
    Set<String> lines = new TreeSet<>();
    for (FileStatus part : files.listStatus(path(directory))) {
      try (FSDataInputStream in = files.open(part.getPath())) {
        new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().forEach(lines::add);
      }
    }
    return lines;
  }

  private static org.apache.hadoop.fs.Path path(String text) {
    return new org.apache.hadoop.fs.Path(text);
  }
}
