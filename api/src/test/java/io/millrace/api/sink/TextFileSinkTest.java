package io.millrace.api.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

  @Test
  void anEmptyDirectoryIsNotTheWorkingDirectory() {
    assertThatThrownBy(() -> TextFileSink.to(""))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("is empty");
  }

  @Test
  @Behaviour(
      "H1: a text file sink shows a part when it is complete, and a restarted writer replaces it")
  void aPartAppearsWhenItIsCompleteAndNotBefore() throws Exception {
    SinkWriter<Object> writer = sink.open(context(1, 2, 0));
    writer.write("grüße");
    writer.write(7);
    assertThat(files()).containsExactly(".part-1-0.inprogress");
    writer.finish();
    assertThat(files()).containsExactly("part-1");
    writer.close();
    assertThat(Files.readString(directory.resolve("part-1"))).isEqualTo("grüße\n7\n");
  }

  @Test
  @Behaviour(
      "H1: a text file sink shows a part when it is complete, and a restarted writer replaces it")
  void whatWasNotFinishedIsDiscarded() throws Exception {
    SinkWriter<Object> writer = sink.open(context(0, 1, 0));
    writer.write("lost");
    writer.close();
    assertThat(files()).isEmpty();
  }

  @Test
  void partsOfTheSameJobDoNotDisturbALateWriter() throws Exception {
    commit(sink, context(0, 2, 0), "first");
    commit(sink, context(1, 2, 0), "late");
    assertThat(files()).containsExactly("part-0", "part-1");
  }

  @Test
  @Behaviour(
      "H1: a text file sink shows a part when it is complete, and a restarted writer replaces it")
  void aRestartedWriterReplacesWhatItsForerunnerCommitted() throws Exception {
    commit(sink, context(0, 1, 0), "old");
    commit(sink, context(0, 1, 1), "new");
    assertThat(Files.readString(directory.resolve("part-0"))).isEqualTo("new\n");
  }

  @Test
  void aRestartedWriterRemovesWhatAKilledForerunnerLeft() throws Exception {
    SinkWriter<Object> killed = sink.open(context(0, 1, 0));
    killed.write("half");
    SinkWriter<Object> writer = sink.open(context(0, 1, 1));
    assertThat(files()).containsExactly(".part-0-1.inprogress");
    assertThatThrownBy(killed::finish).isInstanceOf(IOException.class);
    writer.finish();
    assertThat(files()).containsExactly("part-0");
    assertThat(Files.readString(directory.resolve("part-0"))).isEmpty();
  }

  @Test
  void whatAKilledJobLeftUnfinishedIsReplaced() throws Exception {
    SinkWriter<Object> killed = sink.open(context(0, 1, 0));
    killed.write("half");
    commit(sink, context(0, 1, 0), "whole");
    assertThat(files()).containsExactly("part-0");
    assertThat(Files.readString(directory.resolve("part-0"))).isEqualTo("whole\n");
  }

  @Test
  void outputOfAnEarlierJobIsNotTouched() throws Exception {
    commit(sink, context(0, 1, 0), "precious");
    assertThatThrownBy(() -> sink.open(context(0, 1, 0)))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessageContaining(directory.toString())
        .hasMessageContaining("part-0");
    assertThat(Files.readString(directory.resolve("part-0"))).isEqualTo("precious\n");
  }

  @Test
  void outputOfAnEarlierJobWithMorePartsIsNotMixedWith() throws Exception {
    commit(sink, context(5, 6, 0), "precious");
    assertThatThrownBy(() -> sink.open(context(0, 2, 0))).hasMessageContaining("part-5");
  }

  @Test
  void overwritingLeavesNothingOfTheEarlierJob() throws Exception {
    for (int subtask = 0; subtask < 6; subtask++) {
      commit(sink, context(subtask, 6, 0), "old");
    }
    commit(sink.overwrite(), context(0, 2, 0), "new");
    assertThat(Files.readString(directory.resolve("part-1"))).isEqualTo("old\n");
    commit(sink.overwrite(), context(1, 2, 0), "new");
    assertThat(files()).containsExactly("part-0", "part-1");
    assertThat(Files.readString(directory.resolve("part-1"))).isEqualTo("new\n");
  }

  @Test
  void otherFilesInTheDirectoryAreLeftAlone() throws Exception {
    Files.createDirectories(directory);
    Files.writeString(directory.resolve("README"), "mine");
    commit(sink.overwrite(), context(0, 1, 0), "x");
    assertThat(files()).containsExactly("README", "part-0");
  }

  @Test
  void aFileInPlaceOfTheDirectoryIsNamed() throws Exception {
    Files.writeString(directory, "not a directory");
    assertThatThrownBy(() -> sink.open(context(0, 1, 0)))
        .hasMessageContaining(directory.toString())
        .hasMessageContaining("is a file");
  }

  private static SinkContext context(int subtask, int parallelism, int attempt) {
    return new SinkContext(subtask, parallelism, attempt, FileSystems.withoutPlugins());
  }

  private static void commit(TextFileSink<Object> sink, SinkContext context, String line)
      throws Exception {
    try (SinkWriter<Object> writer = sink.open(context)) {
      writer.write(line);
      writer.finish();
    }
  }

  private List<String> files() throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.map(path -> path.getFileName().toString()).sorted().toList();
    }
  }
}
