package io.millrace.connector.files;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.sink.CommittingSinkWriter;
import io.millrace.api.sink.GlobalCommitter;
import io.millrace.api.sink.SinkContext;
import io.millrace.core.MemorySize;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.testing.Behaviour;
import io.millrace.format.jackson.CsvFormat;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Buckets, parts, commits, and what is refused. */
class FileSinkTest {
  @TempDir Path parent;
  private Path directory;
  private FileSink<String> sink;
  private final AtomicLong clock = new AtomicLong();

  @BeforeEach
  void makeSink() {
    directory = parent.resolve("out");
    sink = FileSink.to(directory.toString(), LineFormat.text());
  }

  private static FileRoundTrip.Context context(int subtask, int parallelism) {
    return new FileRoundTrip.Context(subtask, parallelism, 0, false, true);
  }

  private SinkContext timed() {
    return new SinkContext() {
      @Override
      public int subtask() {
        return 0;
      }

      @Override
      public int parallelism() {
        return 1;
      }

      @Override
      public int attempt() {
        return 0;
      }

      @Override
      public boolean isRestored() {
        return false;
      }

      @Override
      public boolean isCheckpointing() {
        return true;
      }

      @Override
      public long currentProcessingTime() {
        return clock.get();
      }

      @Override
      public FileSystems files() {
        return FileSystems.withoutPlugins();
      }
    };
  }

  /** The files with their content, tokens replaced. */
  private List<String> files() throws Exception {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(Files::isRegularFile)
          .map(
              file -> {
                try {
                  return directory.relativize(file).toString().replaceAll("-[0-9a-f]{12}", "-T")
                      + "="
                      + Files.readString(file, ISO_8859_1).strip().replace('\n', ' ');
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              })
          .sorted()
          .toList();
    }
  }

  private List<PartCommit> finish(BucketWriter<String> writer) throws Exception {
    writer.flush(true);
    return writer.prepareCommit();
  }

  private void commit(List<PartCommit> commits) throws Exception {
    sink.createCommitter(context(0, 1)).commit(commits);
  }

  private void write(FileSink<String> sink, FileRoundTrip.Context context, String... records)
      throws Exception {
    BucketWriter<String> writer = sink.createWriter(context);
    for (String record : records) {
      writer.write(record);
    }
    commit(finish(writer));
    writer.close();
  }

  // --- parts

  @Test
  @Behaviour("H1: a file sink shows a part when it is complete and committed")
  void aPartAppearsWhenItIsCommittedAndNotBefore() throws Exception {
    BucketWriter<String> writer =
        sink.bucketBy((record, time) -> "b/" + record.charAt(0)).createWriter(context(1, 2));
    writer.write("x1");
    writer.write("y1");
    writer.write("x2");
    List<PartCommit> commits = finish(writer);
    assertThat(files()).allSatisfy(file -> assertThat(file).startsWith(".pending/"));
    writer.close();
    commit(commits);
    commit(commits);
    assertThat(files()).containsExactly("b/x/part-1-0-T=x1 x2", "b/y/part-1-1-T=y1");
  }

  @Test
  void aCommitThatWasInterruptedByAnObjectStoreIsRepeated() throws Exception {
    BucketWriter<String> writer = sink.createWriter(context(0, 1));
    writer.write("a");
    List<PartCommit> commits = finish(writer);
    // A rename that copies first and deletes then, and ended in between.
    PartCommit.Publish publish = (PartCommit.Publish) commits.get(0);
    Files.copy(Path.of(publish.from()), Path.of(publish.to()));
    commit(commits);
    assertThat(files()).containsExactly("part-0-0-T=a");
  }

  @Test
  void aDirectoryThatAnObjectStoreLostWithItsLastFileIsCreatedAgain() throws Exception {
    BucketWriter<String> writer = sink.createWriter(context(0, 1));
    Files.delete(directory.resolve(BucketDirectory.PENDING));
    writer.write("a");
    commit(finish(writer));
    assertThat(files()).containsExactly("part-0-0-T=a");
  }

  @Test
  void theLastWriterDeletesTheDirectoryOfUnfinishedParts() throws Exception {
    Path pending = directory.resolve(BucketDirectory.PENDING);
    BucketWriter<String> first = sink.createWriter(context(0, 2));
    BucketWriter<String> second = sink.createWriter(context(1, 2));
    first.write("a");
    first.flush(false);
    commit(first.prepareCommit());
    assertThat(pending).isDirectory();
    second.write("b");
    List<PartCommit> last = finish(second);
    commit(finish(first));
    assertThat(pending).isNotEmptyDirectory();
    commit(last);
    assertThat(pending).doesNotExist();
    commit(last);
    first.close();
    second.close();
    assertThat(files()).containsExactly("part-0-0-T=a", "part-1-0-T=b");
  }

  @Test
  void aPartThatIsLostIsNamed() throws Exception {
    BucketWriter<String> writer = sink.createWriter(context(0, 1));
    writer.write("a");
    List<PartCommit> commits = finish(writer);
    Files.delete(Path.of(((PartCommit.Publish) commits.get(0)).from()));
    assertThatThrownBy(() -> commit(commits))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("of a completed checkpoint does not exist");
  }

  @Test
  void whatWasNotPreparedIsDiscarded() throws Exception {
    BucketWriter<String> writer = sink.rollAt(new MemorySize(4)).createWriter(context(0, 1));
    writer.write("complete");
    writer.write("x");
    writer.close();
    assertThat(files()).isEmpty();
  }

  @Test
  void partsAreClosedAtSizeAgeAndWhenTooManyAreOpen() throws Exception {
    write(sink.rollAt(new MemorySize(6)), context(0, 1), "ab", "cd", "long line", "e");
    assertThat(files()).containsExactly("part-0-0-T=ab cd", "part-0-1-T=long line", "part-0-2-T=e");

    FileSink<String> aged = sink.overwrite().rollEvery(Duration.ofMillis(10));
    BucketWriter<String> writer = aged.createWriter(timed());
    clock.set(100);
    writer.write("a");
    clock.set(109);
    writer.write("b");
    clock.set(110);
    writer.write("c");
    commit(finish(writer));
    assertThat(files()).containsExactly("part-0-0-T=a b", "part-0-1-T=c");

    write(
        sink.overwrite().bucketBy((record, time) -> record.substring(0, 1)).maxOpenParts(2),
        context(0, 1),
        "a1",
        "b1",
        "a2",
        "c1",
        "b2");
    assertThat(files())
        .containsExactly(
            "a/part-0-0-T=a1 a2", "b/part-0-1-T=b1", "b/part-0-3-T=b2", "c/part-0-2-T=c1");
  }

  @Test
  void bucketsByTime() throws Exception {
    clock.set(Duration.ofHours(25).toMillis());
    BucketWriter<String> byProcessingTime =
        FileRoundTrip.travelled(
                sink.bucketBy(
                    BucketAssigner.byProcessingTime("'day='yyyy-MM-dd/HH", ZoneOffset.UTC)))
            .createWriter(timed());
    byProcessingTime.write("a");
    commit(finish(byProcessingTime));
    assertThat(files()).containsExactly("day=1970-01-02/01/part-0-0-T=a");
    write(
        sink.overwrite().bucketBy(BucketAssigner.byTime(Long::parseLong, "yyyy", ZoneOffset.UTC)),
        context(0, 1),
        "-1",
        "0");
    assertThat(files()).containsExactly("1969/part-0-0-T=-1", "1970/part-0-1-T=0");
    assertThatThrownBy(() -> BucketAssigner.byProcessingTime("yyyy-bb", ZoneOffset.UTC))
        .isInstanceOf(MillraceException.class);
  }

  @Test
  void namesHavePrefixAndSuffix() throws Exception {
    write(sink.partNames("orders", ".txt").compression(Compression.GZIP), context(0, 1), "a");
    assertThat(files()).singleElement().asString().matches("(?s)orders-0-0-T\\.txt\\.gz=.*");
    assertThat(
            FileRoundTrip.readOnce(FileSource.of(LineFormat.text(), directory.toString()), 1)
                .records())
        .containsExactly("a");
    for (String prefix : List.of("", ".x", "_x", "a/b")) {
      assertThatThrownBy(() -> sink.partNames(prefix, "")).isInstanceOf(MillraceException.class);
    }
  }

  // --- starts

  @Test
  void partsOfAnEarlierJobAreRefusedOrReplaced() throws Exception {
    write(sink.bucketBy((record, time) -> "b"), context(0, 1), "old");
    assertThatThrownBy(() -> sink.createWriter(context(0, 2)))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("already holds part-0-0-");
    // Another task cannot tell them from parts of this job.
    sink.createWriter(context(1, 2)).close();
    // Other names are another sink.
    write(sink.partNames("other", ""), context(0, 1), "other");
    BucketWriter<String> writer = sink.overwrite().createWriter(context(0, 1));
    writer.write("new");
    List<PartCommit> commits = finish(writer);
    assertThat(files()).contains("b/part-0-0-T=old");
    commit(commits);
    assertThat(files()).containsExactly("other-0-0-T=other", "part-0-0-T=new");
  }

  @Test
  void leftoversOfKilledAttemptsAreDeletedWithTheFirstCommit() throws Exception {
    BucketWriter<String> killed = sink.createWriter(context(1, 2));
    killed.write("lost");
    BucketWriter<String> next = sink.createWriter(new FileRoundTrip.Context(0, 1, 1, false, true));
    next.write("kept");
    List<PartCommit> commits = finish(next);
    assertThat(files()).hasSize(2);
    commit(commits);
    assertThat(files()).containsExactly("part-0-0-T=kept");
  }

  @Test
  void aRestartWithoutCheckpointsReplacesWhatWasCommitted() throws Exception {
    FileRoundTrip.Context first = new FileRoundTrip.Context(0, 1, 0, false, false);
    write(sink, first, "a");
    write(sink, new FileRoundTrip.Context(0, 1, 1, false, false), "a", "b");
    assertThat(files()).containsExactly("part-0-0-T=a b");
    // From the same savepoint twice.
    BucketWriter<String> restored =
        sink.restoreWriter(
            new FileRoundTrip.Context(0, 1, 0, true, false), List.of(new WriterNumber(0, 1)));
    restored.write("c");
    commit(finish(restored));
    BucketWriter<String> again =
        sink.restoreWriter(
            new FileRoundTrip.Context(0, 1, 1, true, false), List.of(new WriterNumber(0, 1)));
    again.write("c");
    commit(finish(again));
    assertThat(files()).containsExactly("part-0-0-T=a b", "part-0-1-T=c");
  }

  @Test
  void successMarkerIsCreatedAtTheEnd() throws Exception {
    Files.createDirectories(directory);
    Files.createFile(directory.resolve("_SUCCESS"));
    MarkedFileSink<String> marked = (MarkedFileSink<String>) sink.withSuccessMarker();
    GlobalCommitter<PartCommit> committer = marked.createGlobalCommitter(context(0, 1));
    CommittingSinkWriter<String, PartCommit> writer = marked.createWriter(context(0, 1));
    writer.write("a");
    writer.flush(true);
    List<PartCommit> commits = writer.prepareCommit();
    marked.createCommitter(context(0, 1)).commit(commits);
    committer.commit(commits);
    assertThat(files()).containsExactly("part-0-0-T=a");
    committer.endOfInput();
    committer.endOfInput();
    assertThat(files()).containsExactly("_SUCCESS=", "part-0-0-T=a");
  }

  // --- refusals

  @Test
  void bucketsStayInTheDirectory() throws Exception {
    for (String bucket : List.of("..", "a/../b", "/etc", "a//b", "a/", ".hidden", "_x", "a\0")) {
      BucketWriter<String> writer =
          sink.bucketBy((record, time) -> record).createWriter(context(0, 1));
      assertThatThrownBy(() -> writer.write(bucket))
          .as(bucket)
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("bucket");
      writer.close();
    }
    BucketWriter<String> none = sink.bucketBy((record, time) -> null).createWriter(context(0, 1));
    assertThatThrownBy(() -> none.write("a")).hasMessageContaining("'null'");
  }

  @Test
  void recordsThatWouldBeReadAsOthersAreRefused() throws Exception {
    BucketWriter<String> text = sink.createWriter(context(0, 1));
    assertThatThrownBy(() -> text.write("a\nb")).hasMessageContaining("line feed");
    assertThatThrownBy(() -> text.write("a\r")).hasMessageContaining("carriage return");
    text.write("");
    text.close();
    record Row(String value) {}
    LineFormat<Row> csv = LineFormat.of(CsvFormat.of(Row.class, "value"));
    BucketWriter<Row> rows = FileSink.to(directory.toString(), csv).createWriter(context(0, 1));
    assertThatThrownBy(() -> rows.write(new Row("a\nb"))).hasMessageContaining("quotedLineBreaks");
    assertThatThrownBy(() -> rows.write(new Row(""))).hasMessageContaining("empty line");
    rows.close();
    BucketWriter<String> raw =
        FileSink.to(
                directory.toString(),
                LineFormat.<String>writing(String::getBytes).quotedLineBreaks())
            .createWriter(context(0, 1));
    raw.write("a,\"b\nc\"");
    assertThatThrownBy(() -> raw.write("a,\"b")).hasMessageContaining("quote without end");
    raw.close();
  }

  @Test
  void aFileInPlaceOfTheDirectoryIsNamed() throws Exception {
    Files.writeString(directory, "not a directory");
    assertThatThrownBy(() -> sink.createWriter(context(0, 1)))
        .hasMessageContaining(directory + "' is a file");
    assertThatThrownBy(() -> FileSink.to(" ", LineFormat.text())).hasMessageContaining("empty");
    assertThatThrownBy(() -> sink.rollAt(new MemorySize(0))).hasMessageContaining("0 bytes");
    assertThatThrownBy(() -> sink.rollEvery(Duration.ZERO)).hasMessageContaining("millisecond");
    assertThatThrownBy(() -> sink.maxOpenParts(0)).hasMessageContaining("not 0");
  }
}
