package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.GatedCount;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Sources and sinks on HDFS, with the unmodified distribution. */
class HdfsIT {
  @RegisterExtension static final Shell SHELL = new Shell();
  @TempDir static Path storage;
  private static MiniDFSCluster hdfs;
  private static DistributedFileSystem files;
  private static String root;

  @BeforeAll
  static void startHdfs() throws Exception {
    hdfs =
        new MiniDFSCluster.Builder(new Configuration(), storage.toFile()).numDataNodes(1).build();
    hdfs.waitActive();
    files = hdfs.getFileSystem();
    root = hdfs.getURI().toString();
    try (FSDataOutputStream out = files.create(path("/input/first"))) {
      out.write("the mill the stone\n".repeat(1_000).getBytes(StandardCharsets.UTF_8));
    }
    try (FSDataOutputStream out = files.create(path("/input/second"))) {
      out.write("the weir\n".getBytes(StandardCharsets.UTF_8));
    }
  }

  @AfterAll
  static void stopHdfs() {
    hdfs.shutdown(true);
  }

  @Test
  void embeddedJobReadsAndWrites() throws Exception {
    Outcome ran = wordCount(SHELL::millrace, "/input", "/embedded").succeeded();
    assertThat(counts("/embedded"))
        .containsExactly("mill\t1000", "stone\t1000", "the\t2001", "weir\t1");
    // Hadoop's client runs a shutdown hook, which must still find its classes.
    assertThat(String.join("\n", ran.err())).doesNotContain("Exception");
  }

  @Test
  void taskManagersReadAndWrite() throws Exception {
    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "2", "--slots", "1")) {
      wordCount(cluster::millrace, "/input", "/clustered").succeeded();
      assertThat(counts("/clustered"))
          .containsExactly("mill\t1000", "stone\t1000", "the\t2001", "weir\t1");
    }
  }

  @Test
  void missingInputIsNamed() throws Exception {
    Outcome failed = wordCount(SHELL::millrace, "/missing", "/nowhere");
    assertThat(failed.code()).isNotZero();
    assertThat(String.join("\n", failed.err())).contains("'" + root + "/missing' does not exist");
  }

  /** Like a second attempt on YARN: another machine has other ports and directories. */
  @Test
  @Behaviour(
      "G3: a JobManager that restarts on another machine and other ports recovers its jobs and"
          + " TaskManagers")
  void jobManagerThatIsKilledIsFollowedByOneElsewhereWithItsJobAndItsWorker(@TempDir Path own)
      throws Exception {
    Path output = Files.createDirectory(own.resolve("output"));
    Path jar = ProgramJar.of(own, GatedCount.class);
    Command worker =
        start("taskmanager", own, "taskmanager.numberOfTaskSlots=2", "jobmanager.rpc.port=1");
    Command first = start("jobmanager", own.resolve("first"));
    SHELL
        .millrace(
            home(), "run", "-d", "-m", rest(first), "-p", "2", jar.toString(), output.toString())
        .succeeded();
    Wait.untilTrue("the job is in its middle", () -> Files.exists(output.resolve("reached")));

    first.kill();
    Command second = start("jobmanager", own.resolve("second"));
    Rest rest = new Rest(rest(second));
    String job = rest.get("/jobs/overview").path("jobs").path(0).path("jid").asText();
    long began = System.nanoTime();
    Wait.untilTrue("the worker has come over", () -> rest.registeredTaskManagers() == 1);
    System.out.println(
        "The TaskManager has followed after "
            + Duration.ofNanos(System.nanoTime() - began).toMillis()
            + " ms");
    assertThat(worker.isAlive()).isTrue();
    Files.createFile(output.resolve("gate"));
    rest.awaitState(job, "FINISHED");
    assertThat(lines(output.resolve("counts")))
        .hasSize(1000)
        .allMatch(line -> line.endsWith("\t1000"));
    assertThat(files.listStatus(path("/ha"))).hasSize(1);

    assertThat(rest.send("DELETE", "/cluster", "").status()).isEqualTo(200);
    assertThat(second.await().code()).isZero();
    assertThat(files.listStatus(path("/ha"))).isEmpty();
    worker.terminate();
    worker.await();
  }

  private static String rest(Command jobManager) {
    String line = jobManager.awaitLine(text -> text.contains("serves REST at http://"));
    return line.substring(line.indexOf("http://") + "http://".length());
  }

  /** The directory with the cluster secret. */
  private static Map<String, String> home() {
    return Map.of("HOME", SHELL.directory().toString());
  }

  private static List<String> lines(Path directory) throws IOException {
    List<String> lines = new ArrayList<>();
    try (Stream<Path> parts = Files.list(directory)) {
      for (Path part : parts.toList()) {
        lines.addAll(Files.readAllLines(part));
      }
    }
    return lines;
  }

  private static Command start(String process, Path temporary, String... settings)
      throws IOException {
    List<String> line = new ArrayList<>(List.of(process));
    List<String> all = new ArrayList<>(List.of(settings));
    all.add("high-availability.type=file");
    all.add("high-availability.storageDir=" + root + "/ha");
    all.add("high-availability.cluster-id=application_1");
    all.add("io.tmp.dirs=" + temporary);
    if (process.equals("jobmanager")) {
      all.addAll(List.of("rest.port=0", "jobmanager.rpc.port=0"));
    }
    all.forEach(setting -> line.addAll(List.of("-D", setting)));
    return SHELL.start(home(), line.toArray(String[]::new));
  }

  private interface Millrace {
    Outcome run(String... arguments) throws IOException;
  }

  private static Outcome wordCount(Millrace millrace, String from, String to) throws IOException {
    return millrace.run(
        "run",
        "-p",
        "2",
        Shell.example("word-count.jar").toString(),
        "--input",
        root + from,
        "--output",
        root + to);
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
