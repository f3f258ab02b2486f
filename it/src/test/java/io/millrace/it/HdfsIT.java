package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
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

/** Sources and sinks on a real HDFS, with the distribution as it is. */
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
    // Hadoop's client leaves a hook to the end of the JVM, which must find its classes.
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
