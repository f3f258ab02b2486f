package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** State and results on S3, with the jars that docs/plugins.md names. */
class S3IT {
  private static final int PAYMENTS = 20_000;
  private static final String ROOT = "s3a://" + S3Server.BUCKET + "/";
  private static final String ALERTS = ROOT + "alerts";
  private static final String COMPACTED = ROOT + "compacted";
  private static final Path LIBRARIES = Path.of("../s3-libraries/target/lib").toAbsolutePath();

  @RegisterExtension static final Shell SHELL = new Shell();

  @TempDir private Path directory;

  /** The plugins of the distribution, with the libraries of S3. */
  private Path plugins() throws IOException {
    Path plugins = directory.resolve("plugins");
    Path hadoop = Files.createDirectories(plugins.resolve("hadoop"));
    Path installed = Shell.distribution().resolve("plugins");
    Files.createSymbolicLink(plugins.resolve("rocksdb"), installed.resolve("rocksdb"));
    link(installed.resolve("hadoop"), hadoop);
    Path lib = Files.createDirectory(hadoop.resolve("lib"));
    link(installed.resolve("hadoop/lib"), lib);
    link(LIBRARIES, lib);
    return plugins;
  }

  private static void link(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.createSymbolicLink(to.resolve(file.getFileName()), file);
      }
    }
  }

  private static String[] alerts(String rate, String... options) {
    List<String> line =
        new ArrayList<>(
            List.of(
                "-D",
                "execution.checkpointing.interval=1 s",
                "-D",
                "state.backend.type=rocksdb",
                "-D",
                "execution.checkpointing.incremental=true"));
    line.addAll(ExactCounts.RESTARTS);
    line.addAll(List.of(options));
    line.addAll(
        List.of(
            Shell.example("fraud-alerts.jar").toString(),
            "--rate",
            rate,
            "--count",
            String.valueOf(PAYMENTS),
            "--output",
            ALERTS));
    return line.toArray(String[]::new);
  }

  @Test
  @Behaviour(
      "H4: checkpoints, savepoints and committed files on S3: every result is there exactly once"
          + " although a TaskManager is killed")
  void stateAndResultsAreOnS3() throws Exception {
    List<Outcome> outcomes = new ArrayList<>();
    try (S3Server s3 = new S3Server(directory)) {
      Map<String, String> environment =
          Map.of(
              "MILLRACE_PLUGINS_DIR",
              plugins().toString(),
              "HADOOP_CONF_DIR",
              s3.configuration(directory.resolve("conf")).toString());
      try (Cluster cluster =
          SHELL.startCluster(
              environment,
              "--taskmanagers",
              "2",
              "--slots",
              "1",
              "-D",
              "execution.checkpointing.dir=" + ROOT + "checkpoints",
              "-D",
              "execution.checkpointing.savepoint-dir=" + ROOT + "savepoints")) {
        String job = cluster.submit(alerts("100"));
        cluster.rest().awaitCheckpoints(job, 2);
        assertThat(s3.objects(ROOT + "checkpoints/" + job + "/shared"))
            .as("files of incremental checkpoints")
            .isNotEmpty();
        Wait.untilTrue("a part is committed", () -> !lines(s3).isEmpty());

        cluster.kill(cluster.anyBusyTaskManager());
        cluster.rest().awaitRestored(job);
        cluster.rest().awaitCheckpoints(job, cluster.rest().completedCheckpoints(job) + 2);

        Outcome taken = cluster.millrace("savepoint", job);
        String savepoint = taken.savepointPath();
        outcomes.add(taken);
        assertThat(savepoint).startsWith(ROOT + "savepoints/");
        outcomes.add(SHELL.millrace(environment, "savepoint", "inspect", savepoint).succeeded());
        // Its classes are known unless every suspect has just led to an alert.
        assertThat(outcomes.get(1).out()).anyMatch(line -> line.contains("suspect: keyed, value"));
        String stopped = cluster.millrace("stop", job).savepointPath();
        awaitNoCheckpoints(s3);
        cluster.millrace("savepoint", "dispose", savepoint).succeeded();
        assertThat(s3.objects(savepoint)).isEmpty();
        Outcome disposed = cluster.run(alerts("100000", "-s", savepoint));
        outcomes.add(disposed);
        assertThat(disposed.code()).isNotZero();
        assertThat(String.join(" ", disposed.err())).contains("'" + savepoint + "' does not exist");

        outcomes.add(cluster.run(alerts("100000", "-s", stopped)).succeeded());
        assertThat(lines(s3)).containsExactlyInAnyOrderElementsOf(expected());
        outcomes.add(
            cluster
                .run(
                    Shell.example("file-compaction.jar").toString(),
                    "--input",
                    ALERTS + "/part-*",
                    "--output",
                    COMPACTED)
                .succeeded());
        assertThat(s3.objects(COMPACTED)).contains("_SUCCESS");
        assertThat(lines(s3, COMPACTED, "compacted-"))
            .containsExactlyInAnyOrderElementsOf(expected());
        awaitNoCheckpoints(s3);
        assertThat(s3.objects(stopped)).contains("_metadata");
        assertThat(outcomes).noneMatch(outcome -> outcome.toString().contains(S3Server.SECRET));
        assertThat(filesWithSecret(cluster.directory())).isEmpty();
      }
    }
  }

  @Test
  @Behaviour("A2: a command names the endpoint of S3 if it cannot be reached")
  void endpointThatIsDownIsNamed() throws Exception {
    try (Socket refusing = new Socket()) {
      // It has a port and does not listen.
      refusing.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      String address = "127.0.0.1:" + refusing.getLocalPort();
      Outcome outcome =
          SHELL.millrace(
              Map.of(
                  "MILLRACE_PLUGINS_DIR",
                  plugins().toString(),
                  "HADOOP_CONF_DIR",
                  S3Server.configuration(directory.resolve("conf"), address).toString()),
              "savepoint",
              "inspect",
              ROOT + "savepoints/any");
      assertThat(outcome.code()).isEqualTo(1);
      assertThat(String.join(" ", outcome.err())).contains(address);
    }
  }

  private static List<Path> filesWithSecret(Path directory) throws IOException {
    List<Path> found = new ArrayList<>();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1)
            .contains(S3Server.SECRET)) {
          found.add(file);
        }
      }
    }
    return found;
  }

  /** Checkpoints of an ended job are deleted after its clients have heard of its end. */
  private static void awaitNoCheckpoints(S3Server s3) {
    Wait.untilTrue(
        "nothing is left of the checkpoints of ended jobs",
        () -> {
          try {
            return s3.objects(ROOT + "checkpoints").isEmpty();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  /** Account and time of each alert that a reader of the directory sees. */
  private static List<String> lines(S3Server s3) {
    return lines(s3, ALERTS, "part-");
  }

  private static List<String> lines(S3Server s3, String from, String prefix) {
    List<String> lines = new ArrayList<>();
    try {
      for (String name : s3.objects(from)) {
        if (name.startsWith(prefix)) {
          for (String line : Files.readAllLines(s3.of(from + "/" + name))) {
            String[] parts = line.split("\t", -1);
            lines.add(parts[0] + "\t" + parts[1]);
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return lines;
  }

  private static List<String> expected() {
    List<String> expected = new ArrayList<>();
    for (long index = 0; index < PAYMENTS; index++) {
      if (index / 10 % 5 == 1) {
        expected.add("account-" + index % 10 + "\t" + index * 1000);
      }
    }
    return expected;
  }
}
