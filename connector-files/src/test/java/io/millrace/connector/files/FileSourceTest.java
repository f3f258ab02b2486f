package io.millrace.connector.files;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.process.OutputTag;
import io.millrace.api.source.PollingReader.Status;
import io.millrace.api.source.SourceReader;
import io.millrace.api.source.SplitEnumerator;
import io.millrace.core.MemorySize;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import io.millrace.format.jackson.CsvFormat;
import io.millrace.format.jackson.JsonFormat;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Paths, patterns, damaged files and records. */
class FileSourceTest {
  @TempDir Path directory;

  record Order(String customer, int amount) {}

  private static final LineFormat<Order> JSON = LineFormat.of(JsonFormat.of(Order.class));

  private Path file(String name, String content) throws Exception {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, content);
  }

  private List<String> lines(String... paths) throws Exception {
    return FileRoundTrip.readOnce(
            FileSource.of(
                LineFormat.text(),
                Arrays.stream(paths).map(path -> directory + "/" + path).toList()),
            2)
        .records();
  }

  // --- paths

  @Test
  void directoriesAreReadWithAllBelowThem() throws Exception {
    file("a/1", "one");
    file("a/b/c/2", "two");
    file("a/.hidden", "no");
    file("a/_SUCCESS", "no");
    file("a/_temporary/3", "no");
    assertThat(lines("a")).containsExactlyInAnyOrder("one", "two");
    assertThat(lines("a", "a/b")).containsExactlyInAnyOrder("one", "two");
  }

  @Test
  void patternsStandForNamesAndDirectories() throws Exception {
    file("day=1/a.csv", "1a");
    file("day=1/b.txt", "1b");
    file("day=2/a.csv", "2a");
    file("day=2/deep/er/a.csv", "deep");
    file("day=2/.hidden.csv", "no");
    file("other/a.csv", "other");
    file("top.csv", "top");
    assertThat(lines("day=*/*.csv")).containsExactlyInAnyOrder("1a", "2a");
    assertThat(lines("day=?/{a,b}.*")).containsExactlyInAnyOrder("1a", "1b", "2a");
    assertThat(lines("day=[2-9]")).containsExactlyInAnyOrder("2a", "deep");
    assertThat(lines("**/a.csv")).containsExactlyInAnyOrder("1a", "2a", "deep", "other");
    assertThat(lines("**/*.csv")).containsExactlyInAnyOrder("1a", "2a", "deep", "other", "top");
    assertThat(lines("day=2/**")).containsExactlyInAnyOrder("2a", "deep");
    assertThat(lines("*/.hidden.csv")).containsExactly("no");
  }

  @Test
  void aPathThatExistsIsNoPattern() throws Exception {
    file("a[1].txt", "bracket");
    file("a1.txt", "one");
    assertThat(lines("a[1].txt")).containsExactly("bracket");
  }

  @Test
  void missingPathsAreNamed() {
    assertThatThrownBy(() -> lines("missing"))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(directory + "/missing' does not exist");
    assertThatThrownBy(() -> lines("*/missing"))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("No file matches '" + directory + "/*/missing'");
    assertThatThrownBy(() -> lines("x[")).hasMessageContaining("is no pattern");
    assertThatThrownBy(() -> FileSource.of(LineFormat.text(), "")).hasMessageContaining("empty");
  }

  @Test
  @Behaviour("H1: a file source reads files that come while the job runs, each once")
  void newFilesOfAMonitoredPatternAreReadOnce() throws Exception {
    FileSource<String> source =
        FileSource.of(LineFormat.text(), directory + "/in/*.txt").monitor(Duration.ofMillis(1));
    assertThat(source.isBounded()).isFalse();
    List<FileSplit> found = new ArrayList<>();
    SplitEnumerator<FileSplit, FileEnumerator.Seen> enumerator =
        source.createEnumerator(new FileRoundTrip.Enumerating(1));
    assertThat(enumerator.discover(found::add)).isEqualTo(Status.WAIT);
    assertThat(found).isEmpty();
    file("in/1.txt", "one");
    file("in/.2.txt", "not yet");
    enumerator.discover(found::add);
    assertThat(found).singleElement().extracting(FileSplit::file).asString().endsWith("/1.txt");
    List<FileEnumerator.Seen> state = enumerator.snapshot(1);
    file("in/2.txt", "two");
    found.clear();
    SplitEnumerator<FileSplit, FileEnumerator.Seen> restored =
        source.restoreEnumerator(new FileRoundTrip.Enumerating(1), state);
    restored.discover(found::add);
    restored.discover(found::add);
    assertThat(found).singleElement().extracting(FileSplit::file).asString().endsWith("/2.txt");
  }

  // --- records that cannot be parsed

  @Test
  @Behaviour(
      "H1: a record of a file that cannot be parsed fails the task, is skipped or goes aside")
  void badRecordFailsWithFileAndPlace() throws Exception {
    Path file = file("orders", "{\"customer\":\"a\",\"amount\":1}\n\n{\"customer\":\n");
    assertThatThrownBy(() -> FileRoundTrip.readOnce(FileSource.of(JSON, directory.toString()), 1))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("The record at byte 29 of file '" + file + "' cannot be parsed");
  }

  @Test
  @Behaviour(
      "H1: a record of a file that cannot be parsed fails the task, is skipped or goes aside")
  void badRecordsAreSkippedOrGoIntoASideOutput() throws Exception {
    StringBuilder content = new StringBuilder();
    List<Order> expected = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      content.append(i % 5 == 0 ? "bad" + i : "{\"customer\":\"c\",\"amount\":" + i + "}");
      content.append('\n');
      if (i % 5 != 0) {
        expected.add(new Order("c", i));
      }
    }
    Path file = file("orders", content.toString());
    FileSource<Order> source = FileSource.of(JSON, file.toString()).splitSize(new MemorySize(40));
    assertThat(FileRoundTrip.readOnce(source.badRecords(BadFileRecords.skip()), 3).records())
        .containsExactlyInAnyOrderElementsOf(expected);
    OutputTag<UnparsedFileRecord> tag = new OutputTag<>("bad");
    FileRoundTrip.Read<Order> read =
        FileRoundTrip.readOnce(source.badRecords(BadFileRecords.sideOutput(tag)), 3);
    assertThat(read.records()).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(read.sideOutput())
        .hasSize(10)
        .allSatisfy(
            each -> {
              UnparsedFileRecord bad = (UnparsedFileRecord) each;
              assertThat(bad.file()).isEqualTo(file.toString());
              String text = new String(bad.bytes(), UTF_8);
              assertThat(text).startsWith("bad");
              assertThat(bad.place()).isEqualTo("byte " + content.indexOf(text + "\n"));
              assertThat(bad.error()).isNotBlank();
            });
  }

  @Test
  void anotherHeaderIsNamed() throws Exception {
    LineFormat<Order> csv =
        LineFormat.of(CsvFormat.of(Order.class, "customer", "amount")).header("customer,amount");
    file("good.csv", "\ufeffcustomer,amount\r\na,1\r\n\r\nb,2");
    FileSource<Order> good = FileSource.of(csv, directory + "/good.csv");
    assertThat(FileRoundTrip.readOnce(good.splitSize(new MemorySize(3)), 2).records())
        .containsExactlyInAnyOrder(new Order("a", 1), new Order("b", 2));
    file("bad.csv", "amount,customer\n1,a\n");
    assertThatThrownBy(() -> FileRoundTrip.readOnce(FileSource.of(csv, directory + "/bad.csv"), 1))
        .hasMessageContaining("/bad.csv' has the header 'amount,customer'");
  }

  // --- files that cannot be read

  @ParameterizedTest
  @EnumSource(
      value = Compression.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"NONE"})
  @Behaviour("H1: a file that is cut short fails the task with its name, and nothing is lost")
  void cutCompressedFileIsNamedAndReadWhenItIsWholeAgain(Compression compression) throws Exception {
    StringBuilder content = new StringBuilder();
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 5000; i++) {
      expected.add(Integer.toHexString(i * 0x9E3779B9));
      content.append(expected.get(i)).append('\n');
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = compression.compress(bytes)) {
      out.write(content.toString().getBytes(UTF_8));
    }
    byte[] whole = bytes.toByteArray();
    Path file = directory.resolve("lines" + compression.suffix());
    FileSource<String> source = FileSource.of(LineFormat.text(), file.toString());
    for (int length : new int[] {1, whole.length / 2, whole.length - 1}) {
      Files.write(file, Arrays.copyOf(whole, length));
      List<FileSplit> splits = new ArrayList<>();
      source.createEnumerator(new FileRoundTrip.Enumerating(4)).discover(splits::add);
      assertThat(splits).hasSize(1);
      SourceReader<String, FileSplit> reader = source.createReader(new FileRoundTrip.Reading(0, 1));
      reader.addSplits(splits);
      List<String> read = new ArrayList<>();
      List<FileSplit> checkpoint = new ArrayList<>(splits);
      assertThatThrownBy(
              () -> {
                while (reader.poll(read::add, 100) != Status.END) {
                  checkpoint.clear();
                  checkpoint.addAll(reader.snapshot(1));
                }
              })
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("File '" + file + "' cannot be read");
      reader.close();
      // The file is complete now: the job goes on from its checkpoint.
      Files.write(file, whole);
      List<String> before = List.copyOf(read.subList(0, read.size() / 100 * 100));
      List<String> all = new ArrayList<>(before);
      SourceReader<String, FileSplit> restored =
          source.createReader(new FileRoundTrip.Reading(0, 1));
      restored.addSplits(checkpoint);
      while (restored.poll(all::add, 1000) != Status.END) {}
      restored.close();
      assertThat(all).isEqualTo(expected);
    }
  }

  @Test
  @Behaviour("H1: a file that is cut short fails the task with its name, and nothing is lost")
  void fileThatBecameShorterIsNamed() throws Exception {
    Path file = file("lines", "one\ntwo\nthree\n");
    FileSource<String> source = FileSource.of(LineFormat.text(), file.toString());
    List<FileSplit> splits = new ArrayList<>();
    source.createEnumerator(new FileRoundTrip.Enumerating(1)).discover(splits::add);
    Files.writeString(file, "one\n");
    SourceReader<String, FileSplit> reader = source.createReader(new FileRoundTrip.Reading(0, 1));
    reader.addSplits(splits);
    List<String> read = new ArrayList<>();
    assertThatThrownBy(() -> reader.poll(read::add, 10))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("File '" + file + "' cannot be read behind byte 4")
        .hasMessageContaining("had at least 14 bytes");
    assertThat(read).containsExactly("one");
    Files.delete(file);
    SourceReader<String, FileSplit> late = source.createReader(new FileRoundTrip.Reading(0, 1));
    late.addSplits(splits);
    assertThatThrownBy(() -> late.poll(read::add, 10))
        .hasMessageContaining("'" + file + "' was found when the source listed its files");
  }

  @Test
  void aFileThatIsNotCompressedAsItsNameSaysIsNamed() throws Exception {
    for (Compression compression : Compression.values()) {
      if (compression != Compression.NONE) {
        String name = "plain" + compression.suffix();
        file(name, "these lines are plain text\n".repeat(10));
        assertThatThrownBy(() -> lines(name))
            .as(name)
            .isInstanceOf(MillraceException.class)
            .hasMessageContaining("/" + name + "' cannot be read");
      }
    }
  }

  @Test
  void concatenatedCompressedFilesAreReadToTheEnd() throws Exception {
    for (Compression compression : Compression.values()) {
      if (compression != Compression.NONE) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (String line : List.of("first\n", "second\n")) {
          ByteArrayOutputStream member = new ByteArrayOutputStream();
          try (OutputStream out = compression.compress(member)) {
            out.write(line.getBytes(UTF_8));
          }
          bytes.write(member.toByteArray());
        }
        Files.write(directory.resolve("two" + compression.suffix()), bytes.toByteArray());
        assertThat(lines("two" + compression.suffix()))
            .as(compression.name())
            .containsExactly("first", "second");
      }
    }
  }

  @Test
  void lineWithoutEndIsNotReadIntoMemory() throws Exception {
    Path file = file("lines", "short\n" + "x".repeat(600_000));
    FileSource<String> source =
        FileSource.of(LineFormat.text().longestLine(new MemorySize(100_000)), file.toString());
    assertThatThrownBy(() -> FileRoundTrip.readOnce(source, 1))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("longer than");
  }

  @Test
  void textThatIsNotUtf8IsABadRecord() throws Exception {
    Path file = directory.resolve("latin1");
    Files.write(file, new byte[] {'a', '\n', (byte) 0xe4, '\n', 'b', '\n'});
    FileSource<String> source = FileSource.of(LineFormat.text(), file.toString());
    assertThatThrownBy(() -> FileRoundTrip.readOnce(source, 1)).hasMessageContaining("byte 2");
    assertThat(FileRoundTrip.readOnce(source.badRecords(BadFileRecords.skip()), 1).records())
        .containsExactly("a", "b");
  }

  @Test
  void aFormatThatOnlyWritesCannotRead() throws Exception {
    Path file = file("lines", "a\n");
    FileSource<String> source =
        FileSource.of(LineFormat.writing(String::getBytes), file.toString());
    assertThatThrownBy(() -> FileRoundTrip.readOnce(source, 1)).hasMessageContaining("only writes");
  }
}
