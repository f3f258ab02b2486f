package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.CountsSlowly;
import io.millrace.core.config.Configuration;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * An application, and a cluster for one job, with several JobManagers of which ZooKeeper elects
 * one.
 */
class CoordinatedApplicationIT {
  private static final Pattern REST = Pattern.compile("JobManager serves REST at http://(\\S+)");
  private static final int KEYS = 10;
  private static final int PER_KEY = 20_000;

  @RegisterExtension static final Shell SHELL = new Shell();

  @RegisterExtension
  static final ZooKeeperServer ZOO_KEEPER = new ZooKeeperServer(Duration.ofSeconds(10));

  @TempDir Path directory;

  private List<String> options() {
    return ZOO_KEEPER.arguments(
        Duration.ofSeconds(4),
        "high-availability.storageDir=" + directory.resolve("ha"),
        "high-availability.cluster-id=application",
        "io.tmp.dirs=" + directory.resolve("tmp"));
  }

  private Command start(List<String> before, String... after) throws IOException {
    List<String> line = new ArrayList<>(before);
    line.addAll(options());
    line.addAll(List.of(after));
    return SHELL.start(Map.of("HOME", SHELL.directory().toString()), line.toArray(String[]::new));
  }

  private static Rest rest(Command application) {
    Matcher address = REST.matcher(application.awaitLine(line -> REST.matcher(line).find()));
    assertThat(address.find()).isTrue();
    return new Rest(address.group(1));
  }

  private static Optional<Integer> leader(List<Rest> addresses, List<Command> processes) {
    return IntStream.range(0, addresses.size())
        .boxed()
        .filter(i -> processes.get(i).isAlive())
        .filter(i -> addresses.get(i).send("GET", "/overview", "").status() == 200)
        .findFirst();
  }

  @Test
  @Behaviour(
      "C4: a standby continues the application of a JobManager that was killed; its main attaches"
          + " to the recovered job, and the other standbys end with the application")
  @Behaviour("B4: clients find the leading JobManager through ZooKeeper")
  void standbyContinuesTheApplicationAndAllEndWithIt() throws Exception {
    String[] program = program(ProgramJar.of(directory, CountsSlowly.class));
    List<String> line = new ArrayList<>(List.of("jobmanager", "application"));
    checkpointing()
        .entries()
        .forEach((key, value) -> line.addAll(List.of("-D", key + "=" + value)));
    line.addAll(List.of("-D", "rest.port=0", "-D", "jobmanager.rpc.port=0"));
    standbyContinuesAndAllEnd(() -> start(line, program));
  }

  @Test
  @Behaviour(
      "C4: a standby of a cluster for one job continues the job of a JobManager that was killed,"
          + " from its last checkpoint, and the other standbys end with the job")
  void standbyContinuesTheJobOfAClusterForOneJobAndAllEndWithIt() throws Exception {
    Path jar = ProgramJar.of(directory, CountsSlowly.class);
    String[] program = program(jar);
    Path graph =
        PerJobMain.stage(
            directory,
            checkpointing(),
            () -> CountsSlowly.main(Arrays.copyOfRange(program, 1, program.length)));
    List<String> line = new ArrayList<>(List.of(graph.toString(), jar.toString()));
    options().stream().filter(option -> !option.equals("-D")).forEach(line::add);
    line.addAll(List.of("rest.port=0", "jobmanager.rpc.port=0"));
    standbyContinuesAndAllEnd(() -> SHELL.startMain(PerJobMain.class, line.toArray(String[]::new)));
  }

  private Configuration checkpointing() {
    return Configuration.EMPTY
        .with("execution.checkpointing.interval", "300 ms")
        .with("execution.checkpointing.dir", directory.resolve("checkpoints").toString());
  }

  private Path slow() {
    return directory.resolve("slow");
  }

  private Path counts() {
    return directory.resolve("counts");
  }

  /** The jar and the arguments. */
  private String[] program(Path jar) {
    return new String[] {
      jar.toString(),
      counts().toString(),
      String.valueOf(KEYS * PER_KEY),
      String.valueOf(KEYS),
      slow().toString()
    };
  }

  /** Starts a JobManager. */
  private interface JobManagerStart {
    Command start() throws IOException;
  }

  /** Kills the leading one of three JobManagers, and lets the others go on until the end. */
  private void standbyContinuesAndAllEnd(JobManagerStart jobManager) throws Exception {
    Files.createFile(slow());
    Files.createDirectory(counts());
    Files.createDirectory(directory.resolve("tmp"));
    Command taskManager = start(List.of("taskmanager"));
    List<Command> processes = new ArrayList<>();
    List<Rest> addresses = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Command process = jobManager.start();
      processes.add(process);
      addresses.add(rest(process));
    }
    int first = Wait.until("one leads", () -> leader(addresses, processes));
    Rest leading = addresses.get(first);
    String job =
        Wait.until(
            "the job of the application is there",
            () -> leading.get("/jobs").path("jobs").findValuesAsText("id").stream().findFirst());
    Wait.untilTrue(
        "a checkpoint is complete",
        () ->
            leading.get("/jobs/" + job + "/checkpoints").path("counts").path("completed").asInt()
                > 0);
    List<String> list = new ArrayList<>(List.of("list"));
    list.addAll(options());
    assertThat(SHELL.millrace(list.toArray(String[]::new)).succeeded().out())
        .anyMatch(line -> line.contains(job));

    processes.get(first).kill();
    processes.get(first).await();
    int second = Wait.until("another one leads", () -> leader(addresses, processes));
    Wait.untilTrue(
        "the job is restored",
        () ->
            addresses
                    .get(second)
                    .send("GET", "/jobs/" + job + "/checkpoints", "")
                    .body()
                    .path("counts")
                    .path("restored")
                    .asInt()
                > 0);
    assertThat(addresses.get(second).get("/jobs").path("jobs").findValuesAsText("id"))
        .as("no second job was started")
        .containsExactly(job);

    Files.delete(slow());
    for (int i = 0; i < processes.size(); i++) {
      if (i != first) {
        processes.get(i).await().succeeded();
      }
    }
    taskManager.terminate();
    taskManager.await();
    try (Stream<Path> files = Files.list(counts())) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(
              IntStream.range(0, KEYS).mapToObj(key -> key + "-" + PER_KEY).toList());
    }
    assertThat(ZOO_KEEPER.clusters()).as("nodes that are left").isEmpty();
    assertThat(directory.resolve("ha/application")).doesNotExist();
  }
}
