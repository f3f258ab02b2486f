package io.millrace.api.sink;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MarkedTextFileSinkTest {
  @TempDir Path parent;
  private Path directory;
  private Path marker;
  private MarkedTextFileSink<Object> sink;

  @BeforeEach
  void makeSink() {
    directory = parent.resolve("out");
    marker = directory.resolve("_SUCCESS");
    sink =
        (MarkedTextFileSink<Object>)
            TextFileSink.<Object>to(directory.toString()).withSuccessMarker();
  }

  private GlobalCommitter<FileCommit> start() throws IOException {
    return sink.createGlobalCommitter(TestSinkContext.of(0, 1));
  }

  private List<FileCommit> write(String... records) throws Exception {
    try (TextFileWriter<Object> writer = sink.createWriter(TestSinkContext.of(0, 1))) {
      for (String record : records) {
        writer.write(record);
      }
      writer.flush(true);
      List<FileCommit> commits = writer.prepareCommit();
      sink.createCommitter(TestSinkContext.of(0, 1)).commit(commits);
      return commits;
    }
  }

  @Test
  void markerIsThereWhenTheInputHasEndedAndNotBefore() throws Exception {
    GlobalCommitter<FileCommit> committer = start();
    List<FileCommit> commits = write("a", "b");
    committer.commit(commits);
    assertThat(marker).doesNotExist();
    assertThat(directory.resolve("part-0-0")).hasContent("a\nb\n");

    committer.endOfInput();
    assertThat(marker).isEmptyFile();
    committer.endOfInput();
    assertThat(marker).as("a repeated end").isEmptyFile();
  }

  /** Readers wait for the marker: an old one would let them read parts that are replaced. */
  @Test
  void markerOfAnEarlierAttemptIsRemovedAtTheStart() throws Exception {
    Files.createDirectories(directory);
    Files.writeString(marker, "old");

    start();

    assertThat(marker).doesNotExist();
  }

  @Test
  void emptyInputHasAMarkerToo() throws Exception {
    start().endOfInput();

    assertThat(marker).isEmptyFile();
    assertThat(directory).isDirectoryNotContaining("glob:**/part-*");
  }

  @Test
  void markerIsNoPart() throws Exception {
    GlobalCommitter<FileCommit> committer = start();
    write("a");
    committer.endOfInput();

    // Another attempt of the same job counts the parts of the directory.
    try (TextFileWriter<Object> writer =
        sink.restoreWriter(
            TestSinkContext.of(0, 1).attempt(1).restored(), List.of(new PartNumber(0, 1)))) {
      assertThat(writer.snapshot(1)).containsExactly(new PartNumber(0, 1));
    }
    assertThat(sink.redistribution()).isEqualTo(StatefulSink.Redistribution.UNION);
  }
}
