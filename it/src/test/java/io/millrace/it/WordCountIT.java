package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the word count with coreutils, in one process and on a cluster. */
class WordCountIT {
  private static final int TEXT_BYTES = 50_000_000;
  private static final long SEED = 11;

  @RegisterExtension static final Shell SHELL = new Shell();
  private static Cluster cluster;
  private static Path text;
  private static List<String> expected;

  @BeforeAll
  static void start() throws Exception {
    text = SHELL.directory().resolve("text");
    write(text);
    expected = countedByCoreutils();
    cluster = SHELL.startCluster("--taskmanagers", "2", "--slots", "4");
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void printsCountsOfTheBundledText() throws Exception {
    Outcome outcome = SHELL.millrace("run", Shell.example("word-count.jar").toString()).succeeded();
    assertThat(outcome.out())
        .hasSize(176)
        .contains("weir\t2", "hopper\t2")
        .allMatch(line -> line.matches("[a-z0-9]+\t[0-9]+"));
    assertThat(outcome.err()).anyMatch(line -> line.matches("Job 'word count' .* finished in .*"));
  }

  /** A relative path that does not exist is resolved against the distribution, as in the README. */
  @Test
  void findsAnExampleFromAnyDirectory() throws Exception {
    assertThat(SHELL.millrace("run", "examples/word-count.jar").succeeded().out()).hasSize(176);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 8})
  @Behaviour("H1: bounded programs give the results of a loop")
  @Behaviour("A7: the same program runs on the targets local, remote and YARN")
  void equalsCoreutilsEmbedded(int parallelism) throws Exception {
    Path output = SHELL.directory().resolve("embedded-" + parallelism);
    Outcome outcome = SHELL.millrace(line("local", parallelism, output)).succeeded();
    assertThat(countsIn(output, parallelism)).isEqualTo(expected);
    System.out.println("50 MB embedded, parallelism " + parallelism + ": " + outcome.elapsed());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 8})
  @Behaviour("H1: bounded programs give the results of a loop")
  @Behaviour("A7: the same program runs on the targets local, remote and YARN")
  void equalsCoreutilsOnTwoTaskManagers(int parallelism) throws Exception {
    Path output = SHELL.directory().resolve("cluster-counts-" + parallelism);
    Outcome outcome = cluster.millrace(line("remote", parallelism, output)).succeeded();
    assertThat(countsIn(output, parallelism)).isEqualTo(expected);
    System.out.println("50 MB on a cluster, parallelism " + parallelism + ": " + outcome.elapsed());
  }

  /** The minimum number of network buffers for parallelism 8: one per end of a channel. */
  @Test
  void equalsCoreutilsWithTheLeastNetworkMemory() throws Exception {
    try (Cluster small = SHELL.startCluster(networkMemory("1152k"))) {
      Path output = SHELL.directory().resolve("small-counts");
      Outcome outcome = small.millrace(line("remote", 8, output)).succeeded();
      assertThat(countsIn(output, 8)).isEqualTo(expected);
      System.out.println("50 MB with 1152 kB of network memory: " + outcome.elapsed());
    }
  }

  @Test
  @Behaviour(
      "F6: network memory is divided into buffers of one size; too few are an error that says how"
          + " much to set")
  void errorNamesTheMissingNetworkMemory() throws Exception {
    try (Cluster tiny = SHELL.startCluster(networkMemory("512k"))) {
      Path output = SHELL.directory().resolve("tiny-counts");
      assertThat(tiny.millrace(line("remote", 8, output)).refusedInOneLine())
          // 16 for each direction of the words, 4 for the splits that go to the other TaskManager.
          .contains("need 36 buffers (", "for channels from other TaskManagers", "for channels to")
          .contains("but 16 of 16 buffers of 32kb are free")
          .contains("Set taskmanager.memory.network.min to 1152kb or more");
      assertThat(tiny.rest().registeredTaskManagers()).isEqualTo(2);
    }
  }

  private static String[] networkMemory(String size) {
    return new String[] {
      "--taskmanagers",
      "2",
      "--slots",
      "4",
      "-D",
      "taskmanager.memory.network.min=" + size,
      "-D",
      "taskmanager.memory.network.max=" + size
    };
  }

  @Test
  @Behaviour("H1: a program in batch mode writes the lines of many small files into few, each once")
  void fileCompactionKeepsEachLine() throws Exception {
    Path small = Files.createDirectories(SHELL.directory().resolve("small"));
    List<String> lines = new ArrayList<>();
    for (int file = 0; file < 60; file++) {
      List<String> own = new ArrayList<>();
      for (int line = 0; line < file; line++) {
        own.add("file " + file + " line " + line);
      }
      lines.addAll(own);
      Path plain = small.resolve(file + ".txt");
      if (file % 3 == 0) {
        try (Writer out =
            new OutputStreamWriter(
                new GZIPOutputStream(Files.newOutputStream(small.resolve(file + ".txt.gz"))),
                StandardCharsets.UTF_8)) {
          for (String line : own) {
            out.write(line + "\n");
          }
        }
      } else {
        Files.write(plain, own);
      }
    }
    Path large = SHELL.directory().resolve("large");
    cluster
        .run(
            "-p",
            "2",
            Shell.example("file-compaction.jar").toString(),
            "--input",
            small + "/*.txt*",
            "--output",
            large.toString())
        .succeeded();
    List<String> written = new ArrayList<>();
    List<Path> parts;
    try (Stream<Path> files = Files.list(large)) {
      parts = files.filter(file -> file.getFileName().toString().startsWith("compacted-")).toList();
    }
    for (Path part : parts) {
      written.addAll(Files.readAllLines(part));
    }
    assertThat(large.resolve("_SUCCESS")).exists();
    assertThat(parts).hasSizeBetween(1, 2);
    assertThat(written).containsExactlyInAnyOrderElementsOf(lines);
  }

  private static String[] line(String target, int parallelism, Path output) {
    return new String[] {
      "run",
      "-t",
      target,
      "-p",
      String.valueOf(parallelism),
      Shell.example("word-count.jar").toString(),
      "--input",
      text.toString(),
      "--output",
      output.toString()
    };
  }

  /**
   * A few frequent and many rare words in upper and lower case, between all kinds of separators.
   */
  private static void write(Path file) throws IOException {
    Random random = new Random(SEED);
    String letters = "abcdefghijklmnopqrstuvwxyzABCXYZ0123456789";
    String[] words = new String[40_000];
    for (int i = 0; i < words.length; i++) {
      StringBuilder word = new StringBuilder();
      for (int length = 1 + random.nextInt(12); length > 0; length--) {
        word.append(letters.charAt(random.nextInt(letters.length())));
      }
      words[i] = word.toString();
    }
    String[] separators = {
      " ", " ", " ", ", ", "\n", "\n", ".\n\n", "\t", "-", "'", "é", " — ", "\r\n"
    };
    long written = 0;
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      while (written < TEXT_BYTES) {
        double skewed = random.nextDouble();
        String word = words[(int) (words.length * skewed * skewed * skewed)];
        String separator = separators[random.nextInt(separators.length)];
        out.write(word);
        out.write(separator);
        written += word.length() + separator.getBytes(StandardCharsets.UTF_8).length;
      }
    }
  }

  private static List<String> countedByCoreutils() throws Exception {
    Path counts = SHELL.directory().resolve("expected");
    ProcessBuilder pipeline =
        new ProcessBuilder(
                "bash",
                "-c",
                "set -o pipefail; tr A-Z a-z <text | tr -cs a-z0-9 '\\n' | grep . | sort | uniq -c"
                    + " | awk '{ print $2 \"\\t\" $1 }'")
            .directory(SHELL.directory().toFile())
            .redirectOutput(counts.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    pipeline.environment().put("LC_ALL", "C");
    Process process = pipeline.start();
    assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).isZero();
    List<String> lines = new ArrayList<>(Files.readAllLines(counts));
    lines.sort(null);
    assertThat(lines).as("words of the text").hasSizeGreaterThan(30_000);
    return lines;
  }

  private static List<String> countsIn(Path output, int parallelism) throws IOException {
    List<String> lines = new ArrayList<>();
    try (Stream<Path> parts = Files.list(output)) {
      List<Path> files = parts.toList();
      assertThat(files).hasSize(parallelism);
      for (Path file : files) {
        lines.addAll(Files.readAllLines(file));
      }
    }
    Shell.delete(output);
    lines.sort(null);
    return lines;
  }
}
