package io.millrace.api.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.MemorySize;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TextFileSinkTest {
  @TempDir Path parent;
  private Path directory;
  private TextFileSink<Object> sink;

  @BeforeEach
  void makeSink() {
    directory = parent.resolve("out");
    sink = TextFileSink.to(directory.toString());
  }

  /** What a checkpoint has of the sink. */
  private record Checkpoint(List<PartNumber> numbers, List<FileCommit> commits) {
    static Checkpoint of(List<TextFileWriter<Object>> writers) throws IOException {
      List<PartNumber> numbers = new ArrayList<>();
      List<FileCommit> commits = new ArrayList<>();
      for (TextFileWriter<Object> writer : writers) {
        writer.flush(false);
        commits.addAll(writer.prepareCommit());
        numbers.addAll(writer.snapshot(1));
      }
      return new Checkpoint(numbers, commits);
    }
  }

  // --- arguments

  @Test
  void anEmptyDirectoryIsNotTheWorkingDirectory() {
    assertThatThrownBy(() -> TextFileSink.to(""))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("is empty");
  }

  @Test
  void refusesLimitsThatEveryPartExceeds() {
    assertThatThrownBy(() -> sink.rollAt(new MemorySize(0)))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("0 bytes");
    assertThatThrownBy(() -> sink.rollEvery(Duration.ofNanos(1)))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("millisecond");
  }

  @Test
  void aFileInPlaceOfTheDirectoryIsNamed() throws Exception {
    Files.writeString(directory, "not a directory");
    assertThatThrownBy(() -> sink.createWriter(TestSinkContext.of(0, 1)))
        .hasMessageContaining(directory.toString())
        .hasMessageContaining("is a file");
  }

  // --- parts

  @Test
  @Behaviour("H1: a text file sink shows a part when it is complete and committed")
  void aPartAppearsWhenItIsCommittedAndNotBefore() throws Exception {
    TextFileWriter<Object> writer = sink.createWriter(TestSinkContext.of(1, 2));
    writer.write("grüße");
    writer.write(7);
    assertThat(files()).singleElement().asString().matches("\\.part-1-0-.*\\.inprogress");
    writer.flush(true);
    assertThat(files()).singleElement().asString().startsWith(".");
    commit(writer.prepareCommit());
    assertThat(files()).containsExactly("part-1-0");
    writer.close();
    assertThat(content("part-1-0")).isEqualTo("grüße\n7\n");
  }

  @Test
  @Behaviour("H1: a text file sink shows a part when it is complete and committed")
  void whatWasNotPreparedIsDiscarded() throws Exception {
    TextFileWriter<Object> writer =
        sink.rollAt(new MemorySize(4)).createWriter(TestSinkContext.of(0, 1));
    writer.write("complete");
    writer.write("x");
    writer.close();
    assertThat(files()).isEmpty();
  }

  @Test
  void whatWasPreparedOutlivesItsWriter() throws Exception {
    TextFileWriter<Object> writer = sink.createWriter(TestSinkContext.of(0, 1));
    writer.write("kept");
    Checkpoint checkpoint = Checkpoint.of(List.of(writer));
    writer.write("lost");
    writer.close();
    commit(checkpoint.commits());
    assertThat(files()).containsExactly("part-0-0");
    assertThat(content("part-0-0")).isEqualTo("kept\n");
  }

  @Test
  void aTaskWithoutRecordsWritesNoPart() throws Exception {
    write(sink, TestSinkContext.of(0, 1));
    assertThat(files()).isEmpty();
  }

  @Test
  void partsAreClosedAtTheirSize() throws Exception {
    write(sink.rollAt(new MemorySize(6)), TestSinkContext.of(0, 1), "ab", "cd", "long line", "e");
    assertThat(files()).containsExactly("part-0-0", "part-0-1", "part-0-2");
    assertThat(content("part-0-0")).isEqualTo("ab\ncd\n");
    assertThat(content("part-0-1")).isEqualTo("long line\n");
    assertThat(content("part-0-2")).isEqualTo("e\n");
  }

  @Test
  void partsAreClosedAtTheirAge() throws Exception {
    TestSinkContext context = TestSinkContext.of(0, 1);
    TextFileWriter<Object> writer = sink.rollEvery(Duration.ofMillis(10)).createWriter(context);
    context.clock().set(100);
    writer.write("a");
    context.clock().set(109);
    writer.write("b");
    context.clock().set(110);
    writer.write("c");
    writer.flush(true);
    commit(writer.prepareCommit());
    assertThat(files()).containsExactly("part-0-0", "part-0-1");
    assertThat(content("part-0-0")).isEqualTo("a\nb\n");
    assertThat(content("part-0-1")).isEqualTo("c\n");
  }

  @Test
  void sizeIsLimitedByDefaultOnlyWithCheckpoints() throws Exception {
    String line = "x".repeat((1 << 20) - 1);
    for (boolean checkpointing : new boolean[] {false, true}) {
      TestSinkContext context = TestSinkContext.of(checkpointing ? 1 : 0, 2);
      TextFileWriter<Object> writer =
          sink.createWriter(checkpointing ? context.checkpointing() : context);
      for (int i = 0; i < 130; i++) {
        writer.write(line);
      }
      writer.flush(true);
      assertThat(writer.prepareCommit()).hasSize(checkpointing ? 2 : 1);
    }
  }

  @Test
  @Behaviour("H4: a text file sink has each record in one part, whatever fails")
  void partsAreClosedAtCheckpoints() throws Exception {
    TextFileWriter<Object> writer = sink.createWriter(TestSinkContext.of(0, 1).checkpointing());
    writer.write("a");
    Checkpoint first = Checkpoint.of(List.of(writer));
    writer.write("b");
    Checkpoint second = Checkpoint.of(List.of(writer));
    assertThat(Checkpoint.of(List.of(writer)).commits()).isEmpty();
    commit(first.commits());
    assertThat(files()).contains("part-0-0").doesNotContain("part-0-1");
    commit(second.commits());
    assertThat(files()).containsExactly("part-0-0", "part-0-1");
  }

  @Test
  void otherFilesInTheDirectoryAreLeftAlone() throws Exception {
    Files.createDirectories(directory);
    Files.writeString(directory.resolve("README"), "mine");
    Files.writeString(directory.resolve(".hidden"), "mine");
    write(sink.overwrite(), TestSinkContext.of(0, 1), "x");
    assertThat(files()).containsExactly(".hidden", "README", "part-0-0");
  }

  // --- commits

  @Test
  @Behaviour("H4: a text file sink has each record in one part, whatever fails")
  void aCommitThatIsRepeatedHasNoEffect() throws Exception {
    TextFileWriter<Object> writer = sink.createWriter(TestSinkContext.of(0, 1).checkpointing());
    writer.write("a");
    Checkpoint checkpoint = Checkpoint.of(List.of(writer));
    commit(checkpoint.commits());
    // The process was killed between the rename and the next checkpoint.
    commit(checkpoint.commits());
    assertThat(files()).containsExactly("part-0-0");
    assertThat(content("part-0-0")).isEqualTo("a\n");
  }

  @Test
  void aPartThatIsGoneIsNamed() throws Exception {
    TextFileWriter<Object> writer = sink.createWriter(TestSinkContext.of(0, 1).checkpointing());
    writer.write("a");
    Checkpoint checkpoint = Checkpoint.of(List.of(writer));
    String hidden = files().get(0);
    Files.delete(directory.resolve(hidden));
    assertThatThrownBy(() -> commit(checkpoint.commits()))
        .isInstanceOf(MillraceException.class)
        .hasMessageContainingAll("part-0-0", hidden);
  }

  // --- restarts without a checkpoint

  @Test
  void partsOfTheSameJobDoNotDisturbALateWriter() throws Exception {
    write(sink, TestSinkContext.of(0, 2), "first");
    write(sink, TestSinkContext.of(1, 2), "late");
    assertThat(files()).containsExactly("part-0-0", "part-1-0");
  }

  @Test
  void aWriterThatStartsAnewReplacesWhatAnEarlierAttemptCommitted() throws Exception {
    TextFileSink<Object> rolling = sink.rollAt(new MemorySize(1));
    write(rolling, TestSinkContext.of(0, 2), "old", "older");
    write(rolling, TestSinkContext.of(1, 2), "other");
    TextFileWriter<Object> writer = rolling.createWriter(TestSinkContext.of(0, 2).attempt(1));
    writer.write("new");
    assertThat(files()).contains("part-0-0", "part-0-1");
    writer.flush(true);
    commit(writer.prepareCommit());
    assertThat(files()).containsExactly("part-0-2", "part-1-0");
    assertThat(content("part-0-2")).isEqualTo("new\n");
  }

  @Test
  void aRestartedWriterRemovesWhatAKilledOneLeft() throws Exception {
    TextFileWriter<Object> killed = sink.createWriter(TestSinkContext.of(0, 1));
    killed.write("half");
    TextFileWriter<Object> writer = sink.createWriter(TestSinkContext.of(0, 1).attempt(1));
    assertThat(files()).isEmpty();
    killed.flush(true);
    assertThatThrownBy(() -> commit(killed.prepareCommit())).hasMessageContaining("part-0-0");
    writer.write("whole");
    writer.flush(true);
    commit(writer.prepareCommit());
    assertThat(files()).containsExactly("part-0-0");
    assertThat(content("part-0-0")).isEqualTo("whole\n");
  }

  @Test
  void whatAKilledJobLeftUnfinishedIsReplaced() throws Exception {
    sink.createWriter(TestSinkContext.of(0, 2)).write("half");
    sink.createWriter(TestSinkContext.of(1, 2)).write("half");
    write(sink, TestSinkContext.of(0, 1), "whole");
    assertThat(files()).containsExactly("part-0-0");
    assertThat(content("part-0-0")).isEqualTo("whole\n");
  }

  // --- restarts with a checkpoint

  @Test
  @Behaviour("H4: a text file sink has each record in one part, whatever fails")
  void aRestoredWriterContinuesAndRemovesWhatIsNotInTheCheckpoint() throws Exception {
    TestSinkContext context = TestSinkContext.of(0, 1).checkpointing();
    TextFileWriter<Object> killed = sink.createWriter(context);
    killed.write("a");
    Checkpoint checkpoint = Checkpoint.of(List.of(killed));
    killed.write("b");
    Checkpoint.of(List.of(killed));
    killed.write("c");
    assertThat(files()).hasSize(3);
    commit(checkpoint.commits());
    TextFileWriter<Object> writer =
        sink.restoreWriter(context.attempt(1).restored(), checkpoint.numbers());
    writer.write("b again");
    commit(Checkpoint.of(List.of(writer)).commits());
    assertThat(files()).containsExactly("part-0-0", "part-0-1");
    assertThat(content("part-0-1")).isEqualTo("b again\n");
  }

  @Test
  @Behaviour("H4: a text file sink has each record in one part, whatever fails")
  void aKilledAttemptThatStartsLateLeavesTheFilesOfItsSuccessor() throws Exception {
    TestSinkContext context = TestSinkContext.of(0, 1).checkpointing();
    TextFileWriter<Object> first = sink.createWriter(context);
    first.write("a");
    Checkpoint checkpoint = Checkpoint.of(List.of(first));
    commit(checkpoint.commits());
    first.close();
    TextFileWriter<Object> successor =
        sink.restoreWriter(context.attempt(2).restored(), checkpoint.numbers());
    successor.write("b");
    Checkpoint next = Checkpoint.of(List.of(successor));

    // Its TaskManager does not know yet that the attempt has been given up.
    TextFileWriter<Object> killed =
        sink.restoreWriter(context.attempt(1).restored(), checkpoint.numbers());
    killed.write("b of a killed attempt");
    commit(next.commits());
    killed.close();

    assertThat(lines()).containsExactly("a", "b");
  }

  @Test
  @Behaviour("H4: a text file sink has each record in one part, whatever fails")
  void numbersDoNotCollideAfterAChangeOfTheParallelism() throws Exception {
    List<TextFileWriter<Object>> three = new ArrayList<>();
    for (int subtask = 0; subtask < 3; subtask++) {
      three.add(sink.createWriter(TestSinkContext.of(subtask, 3).checkpointing()));
    }
    for (String line : List.of("a", "b", "c")) {
      three.get(2).write(line);
      commit(Checkpoint.of(three).commits());
    }
    three.get(0).write("d");
    three.get(2).write("e");
    Checkpoint pending = Checkpoint.of(three);
    three.get(2).write("not in the checkpoint");

    // The parts of the checkpoint are committed only after the one writer has listed the directory.
    TextFileWriter<Object> one =
        sink.restoreWriter(
            TestSinkContext.of(0, 1).checkpointing().attempt(1).restored(), pending.numbers());
    one.write("f");
    commit(pending.commits());
    Checkpoint scaledDown = Checkpoint.of(List.of(one));
    commit(scaledDown.commits());
    one.close();

    List<TextFileWriter<Object>> again = new ArrayList<>();
    for (int subtask = 0; subtask < 3; subtask++) {
      TextFileWriter<Object> writer =
          sink.restoreWriter(
              TestSinkContext.of(subtask, 3).checkpointing().attempt(2).restored(),
              scaledDown.numbers());
      writer.write("g" + subtask);
      again.add(writer);
    }
    commit(Checkpoint.of(again).commits());
    assertThat(files()).hasSize(9).noneMatch(name -> name.startsWith("."));
    assertThat(lines()).containsExactly("a", "b", "c", "d", "e", "f", "g0", "g1", "g2");
  }

  @Test
  void aSubtaskThatHadFinishedBeforeTheCheckpointKeepsItsParts() throws Exception {
    TestSinkContext context = TestSinkContext.of(0, 2).checkpointing();
    TextFileWriter<Object> finished = sink.createWriter(context);
    for (String line : List.of("a", "b")) {
      finished.write(line);
      commit(Checkpoint.of(List.of(finished)).commits());
    }
    // The checkpoint has only the number of the other subtask.
    TextFileWriter<Object> writer =
        sink.restoreWriter(context.attempt(1).restored(), List.of(new PartNumber(1, 0)));
    writer.write("c");
    commit(Checkpoint.of(List.of(writer)).commits());
    assertThat(files()).containsExactly("part-0-0", "part-0-1", "part-0-2");
  }

  @Test
  void aRestartFromASavepointReplacesWhatTheLastAttemptCommittedAtItsEnd() throws Exception {
    TestSinkContext context = TestSinkContext.of(0, 1);
    TextFileWriter<Object> before = sink.createWriter(context);
    before.write("a");
    Checkpoint savepoint = Checkpoint.of(List.of(before));
    commit(savepoint.commits());
    for (int attempt = 0; attempt < 2; attempt++) {
      TextFileWriter<Object> writer =
          sink.restoreWriter(context.attempt(attempt).restored(), savepoint.numbers());
      writer.write("b");
      writer.flush(true);
      commit(writer.prepareCommit());
    }
    assertThat(lines()).containsExactly("a", "b");
  }

  // --- output of earlier jobs

  @Test
  void outputOfAnEarlierJobIsNotTouched() throws Exception {
    write(sink, TestSinkContext.of(0, 1), "precious");
    assertThatThrownBy(() -> sink.createWriter(TestSinkContext.of(0, 1)))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessageContaining(directory.toString())
        .hasMessageContaining("part-0-0");
    assertThat(content("part-0-0")).isEqualTo("precious\n");
  }

  @Test
  void outputOfAnEarlierJobWithMorePartsIsNotMixedWith() throws Exception {
    write(sink, TestSinkContext.of(5, 6), "precious");
    assertThatThrownBy(() -> sink.createWriter(TestSinkContext.of(0, 2)))
        .hasMessageContaining("part-5-0");
  }

  @Test
  void overwritingLeavesNothingOfTheEarlierJob() throws Exception {
    for (int subtask = 0; subtask < 6; subtask++) {
      write(sink, TestSinkContext.of(subtask, 6), "old");
    }
    write(sink.overwrite(), TestSinkContext.of(0, 2), "new");
    assertThat(content("part-1-0")).isEqualTo("old\n");
    // Also without a record.
    write(sink.overwrite(), TestSinkContext.of(1, 2));
    assertThat(lines()).containsExactly("new");
  }

  @Test
  @Behaviour("H4: a text file sink has each record in one part, whatever fails")
  void overwritingThatIsRepeatedAfterAFailureRemovesNoNewPart() throws Exception {
    TestSinkContext context = TestSinkContext.of(0, 1).checkpointing();
    write(sink.rollAt(new MemorySize(1)), TestSinkContext.of(0, 1), "old", "older");
    write(sink, TestSinkContext.of(3, 4), "oldest");
    TextFileWriter<Object> writer = sink.overwrite().createWriter(context);
    writer.write("a");
    Checkpoint first = Checkpoint.of(List.of(writer));
    assertThat(content("part-0-0")).isEqualTo("old\n");
    writer.write("b");
    Checkpoint second = Checkpoint.of(List.of(writer));
    commit(second.commits());
    commit(first.commits());
    TextFileWriter<Object> restored =
        sink.overwrite().restoreWriter(context.attempt(1).restored(), second.numbers());
    restored.write("c");
    commit(first.commits());
    commit(Checkpoint.of(List.of(restored)).commits());
    assertThat(lines()).containsExactly("a", "b", "c");
  }

  private static void commit(List<FileCommit> commits) throws Exception {
    try (Committer<FileCommit> committer =
        TextFileSink.<Object>to("unused").createCommitter(TestSinkContext.of(0, 1))) {
      committer.commit(commits);
    }
  }

  private static void write(TextFileSink<Object> sink, SinkContext context, String... lines)
      throws Exception {
    try (TextFileWriter<Object> writer = sink.createWriter(context)) {
      for (String line : lines) {
        writer.write(line);
      }
      writer.flush(true);
      commit(writer.prepareCommit());
    }
  }

  private String content(String part) throws IOException {
    return Files.readString(directory.resolve(part));
  }

  /** The lines of all parts, sorted. */
  private List<String> lines() throws IOException {
    List<String> lines = new ArrayList<>();
    for (String file : files()) {
      assertThat(file).startsWith("part-");
      lines.addAll(Files.readAllLines(directory.resolve(file)));
    }
    lines.sort(null);
    return lines;
  }

  private List<String> files() throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.map(path -> path.getFileName().toString()).sorted().toList();
    }
  }
}
