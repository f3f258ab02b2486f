package io.millrace.api.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.function.Collector;
import io.millrace.core.MemorySize;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class TextFileSourceTest {
  private static final MemorySize FOUR_BYTES = new MemorySize(4);

  @TempDir Path directory;

  @Test
  @Behaviour("H1: parallel sources divide their input without gaps and overlaps")
  void sharesOfAllInstancesTogetherAreTheFilesLines() throws Exception {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      Path input = Files.createDirectory(directory.resolve("seed-" + seed));
      List<String> expected = new ArrayList<>();
      int files = 1 + random.nextInt(4);
      for (int file = 0; file < files; file++) {
        String text = randomText(random);
        Files.writeString(input.resolve("file-" + file), text);
        expected.addAll(linesOf(text));
      }
      for (int parallelism = 1; parallelism <= 8; parallelism++) {
        List<String> read = new ArrayList<>();
        for (int subtask = 0; subtask < parallelism; subtask++) {
          read.addAll(
              TestContext.drain(
                  TextFileSource.of(input.toString()).splitSize(new MemorySize(1 + seed % 20)),
                  subtask,
                  parallelism,
                  1 + random.nextInt(5)));
        }
        assertThat(read)
            .as("seed %d, parallelism %d", seed, parallelism)
            .containsExactlyElementsOf(expected);
      }
    }
  }

  @Test
  @Behaviour("F5: a failing record is named with operator, subtask and its position at the source")
  void aLineIsFoundAtItsPosition() throws Exception {
    Path file = directory.resolve("positions");
    StringBuilder text = new StringBuilder();
    Random random = new Random(3);
    for (int i = 0; i < 20_000; i++) {
      text.append("ü".repeat(random.nextInt(40))).append(i % 3 == 0 ? "\r\n" : "\n");
    }
    byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
    Files.write(file, bytes);
    for (int subtask = 0; subtask < 2; subtask++) {
      try (SourceReader<String, ?> reader =
          new TestContext(subtask, 2)
              .start(TextFileSource.of(file.toString()).splitSize(new MemorySize(100_000)))) {
        int[] lines = new int[1];
        while (reader.poll(
                line -> {
                  String position = reader.position().orElseThrow();
                  assertThat(position).endsWith(" of " + file);
                  int at = Integer.parseInt(position.split(" ")[1]);
                  byte[] expected = line.getBytes(StandardCharsets.UTF_8);
                  assertThat(Arrays.copyOfRange(bytes, at, at + expected.length))
                      .isEqualTo(expected);
                  assertThat(bytes[at + expected.length]).isIn((byte) '\r', (byte) '\n');
                  assertThat(at == 0 || bytes[at - 1] == '\n').isTrue();
                  lines[0]++;
                },
                100)
            == PollingReader.Status.MORE) {
          assertThat(lines[0]).isPositive();
        }
        assertThat(lines[0]).isPositive();
      }
    }
  }

  /** The kernel makes these files as they are read; their length is 0. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void aFileWithoutALengthIsReadToItsEndByOneInstance() throws Exception {
    Path made = Path.of("/proc/filesystems");
    List<String> expected = Files.readAllLines(made);
    assertThat(expected).isNotEmpty();
    assertThat(Files.size(made)).isZero();
    Path file = directory.resolve("more");
    Files.writeString(file, "a\nb\nc\n");
    Files.createFile(directory.resolve("none"));
    for (int parallelism = 1; parallelism <= 4; parallelism++) {
      List<String> read = new ArrayList<>();
      for (int subtask = 0; subtask < parallelism; subtask++) {
        read.addAll(
            TestContext.drain(
                TextFileSource.of(made.toString(), directory.toString()), subtask, parallelism, 2));
      }
      List<String> all = new ArrayList<>(expected);
      all.addAll(List.of("a", "b", "c"));
      assertThat(read).containsExactlyInAnyOrderElementsOf(all);
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void pipesAndDevicesAreRefused() throws Exception {
    Path pipe = directory.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    for (Path none : List.of(pipe, Path.of("/dev/null"))) {
      assertThatThrownBy(
              () -> {
                for (int subtask = 0; subtask < 2; subtask++) {
                  TestContext.drain(TextFileSource.of(none.toString()), subtask, 2, 10);
                }
              })
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
          .hasMessageStartingWith("'" + none + "' is a pipe, a socket or a device.");
    }
  }

  @Test
  void anEmptyPathIsNotTheWorkingDirectory() {
    for (String empty : List.of("", " ")) {
      assertThatThrownBy(() -> TextFileSource.of("some", empty))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("is empty");
    }
  }

  @Test
  void linesLongerThanTheBufferAreWhole() throws Exception {
    String line = "long ü line ".repeat(60_000);
    Path file = directory.resolve("long");
    Files.writeString(file, "short\n" + line + "\r\n" + line);
    List<String> read = new ArrayList<>();
    for (int subtask = 0; subtask < 3; subtask++) {
      read.addAll(
          TestContext.drain(
              TextFileSource.of(file.toString()).splitSize(new MemorySize(300_000)),
              subtask,
              3,
              10));
    }
    assertThat(read).containsExactly("short", line, line);
  }

  @Test
  void aLargeFileIsDividedEvenly() throws Exception {
    StringBuilder text = new StringBuilder();
    // 16 splits for 4 readers, each longer than the shortest default.
    for (int i = 0; i < 500_000; i++) {
      text.append("line ").append(500_000 + i).append('\n');
    }
    Path file = directory.resolve("large");
    Files.writeString(file, text);
    List<String> read = new ArrayList<>();
    for (int subtask = 0; subtask < 4; subtask++) {
      List<String> share = TestContext.drain(TextFileSource.of(file.toString()), subtask, 4, 1000);
      assertThat(share).hasSizeBetween(124_000, 126_000);
      read.addAll(share);
    }
    assertThat(read).hasSize(500_000).doesNotHaveDuplicates();
    assertThat(read.get(499_999)).isEqualTo("line 999999");
    assertThat(TestContext.splits(TextFileSource.of(file.toString()), 4)).hasSizeBetween(16, 17);
  }

  @Test
  void onlyLineFeedsEndLines() throws Exception {
    Path file = directory.resolve("returns");
    Files.writeString(file, "a\rb\r\n\r\n\nlast\r");
    assertThat(TestContext.drain(TextFileSource.of(file.toString()), 0, 1, 100))
        .containsExactly("a\rb", "", "", "last\r");
  }

  @Test
  void badBytesDoNotSwallowTheirNeighbours() throws Exception {
    Path file = directory.resolve("latin");
    Files.write(file, "caf\u00e9 noir\n".getBytes(StandardCharsets.ISO_8859_1));
    assertThat(TestContext.drain(TextFileSource.of(file.toString()), 0, 1, 100))
        .containsExactly("caf\ufffd noir");
  }

  @Test
  void hiddenFilesAndDirectoriesAreLeftOut() throws Exception {
    Files.writeString(directory.resolve("part-0-0"), "seen\n");
    Files.writeString(directory.resolve(".part-1-0-6e1f.inprogress"), "unseen\n");
    Files.writeString(directory.resolve("_log"), "unseen\n");
    Files.createDirectory(directory.resolve("nested"));
    assertThat(TestContext.drain(TextFileSource.of(directory.toString()), 0, 1, 100))
        .containsExactly("seen");
  }

  @Test
  void anEmptyFileHasNoLines() throws Exception {
    Path file = Files.createFile(directory.resolve("empty"));
    assertThat(TestContext.drain(TextFileSource.of(file.toString()), 1, 2, 100)).isEmpty();
  }

  @Test
  void aMissingPathIsTheUsersErrorAtTheStart() {
    Path missing = directory.resolve("missing");
    TextFileSource source = TextFileSource.of(missing.toString());
    assertThatThrownBy(() -> TestContext.splits(source, 1))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessageContaining(missing.toString())
        .hasMessageContaining("does not exist");
  }

  @Test
  @Behaviour("H4: a source goes on from the positions of a checkpoint, at any parallelism")
  void goesOnFromASnapshotAtAnyLine() throws Exception {
    Random random = new Random(11);
    for (int round = 0; round < 50; round++) {
      Path file = directory.resolve("snapshot-" + round);
      Files.writeString(file, randomText(random));
      TextFileSource source =
          TextFileSource.of(file.toString()).splitSize(new MemorySize(1 + random.nextInt(100)));
      List<String> expected = TestContext.drain(source, 0, 1, 1000);
      int parallelism = 1 + random.nextInt(3);
      List<String> lines = new ArrayList<>();
      List<TextFileSplit> splits = new ArrayList<>();
      for (int subtask = 0; subtask < parallelism; subtask++) {
        try (SourceReader<String, TextFileSplit> reader =
            new TestContext(subtask, parallelism).start(source)) {
          reader.poll(lines::add, random.nextInt(20));
          splits.addAll(reader.snapshot(1));
        }
      }
      try (SourceReader<String, TextFileSplit> reader =
          source.createReader(new TestContext(0, 1))) {
        reader.addSplits(splits);
        while (reader.poll(lines::add, 3) == PollingReader.Status.MORE) {
          assertThat(lines.size()).isLessThanOrEqualTo(expected.size());
        }
      }
      assertThat(lines).as("round " + round).containsExactlyInAnyOrderElementsOf(expected);
    }
  }

  @Test
  void aMonitoredDirectoryHasEachFileOnce() throws Exception {
    Path input = directory.resolve("watched");
    TextFileSource source =
        TextFileSource.of(input.toString()).monitor(Duration.ofSeconds(3)).splitSize(FOUR_BYTES);
    assertThat(source.isBounded()).isFalse();
    TestContext.EnumeratingContext context = new TestContext.EnumeratingContext(2);
    List<String> found = new ArrayList<>();
    Collector<TextFileSplit> splits = split -> found.add(split.splitId());
    SplitEnumerator<TextFileSplit, TextFileEnumerator.Seen> enumerator =
        source.createEnumerator(context);
    assertThat(enumerator.discover(splits)).isEqualTo(PollingReader.Status.WAIT);
    assertThat(found).as("a path that does not exist yet").isEmpty();
    assertThat(context.delays()).containsExactly(Duration.ofSeconds(3));
    Files.createDirectory(input);
    Files.writeString(input.resolve("b"), "12345");
    Files.writeString(input.resolve("a"), "1");
    Files.writeString(input.resolve(".hidden"), "1");
    enumerator.discover(splits);
    assertThat(found)
        .containsExactly(input + "/a from 0", input + "/b from 0", input + "/b from 4");
    Files.writeString(input.resolve("c"), "1");
    SplitEnumerator<TextFileSplit, TextFileEnumerator.Seen> restored =
        source.restoreEnumerator(context, enumerator.snapshot(1));
    found.clear();
    restored.discover(splits);
    restored.discover(splits);
    assertThat(found).containsExactly(input + "/c from 0");
    Files.delete(input.resolve("a"));
    restored.discover(splits);
    assertThat(restored.snapshot(2)).as("files that are gone are forgotten").hasSize(2);
  }

  private static String randomText(Random random) {
    StringBuilder text = new StringBuilder();
    int pieces = random.nextInt(40);
    for (int i = 0; i < pieces; i++) {
      switch (random.nextInt(6)) {
        case 0 -> text.append('\n');
        case 1 -> text.append("\r\n");
        case 2 -> text.append('\r');
        case 3 -> text.append("日本ü");
        default -> text.append("x".repeat(random.nextInt(20)));
      }
    }
    return text.toString();
  }

  /** The definition, without buffers and ranges. */
  private static List<String> linesOf(String text) {
    List<String> lines = new ArrayList<>();
    int start = 0;
    while (start < text.length()) {
      int end = text.indexOf('\n', start);
      String line = text.substring(start, end < 0 ? text.length() : end);
      lines.add(end > start && line.endsWith("\r") ? line.substring(0, line.length() - 1) : line);
      start = end < 0 ? text.length() : end + 1;
    }
    return lines;
  }
}
