package io.millrace.task.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.Bytes;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.OperatorId;
import io.millrace.core.id.VertexId;
import io.millrace.graph.Partitioning;
import io.millrace.task.checkpoint.CheckpointMetadata.EdgeInfo;
import io.millrace.task.checkpoint.CheckpointMetadata.OperatorInfo;
import io.millrace.task.checkpoint.CheckpointMetadata.SubtaskState;
import io.millrace.task.checkpoint.CheckpointMetadata.VertexState;
import io.millrace.task.checkpoint.CheckpointStorage.StoredMetadata;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileCheckpointStorageTest {
  private static final OperatorId OPERATOR = new OperatorId(new Id128(1, 1));
  private static final CheckpointMetadata METADATA = metadata(7);

  @TempDir Path parent;
  private Path directory;
  private Path file;
  private final CheckpointStorage storage = new FileCheckpointStorage(FileSystems.withoutPlugins());

  private static CheckpointMetadata metadata(long checkpoint) {
    StateHandle inline = new StateHandle.Inline(Bytes.utf8("splits"));
    StateHandle segment =
        new StateHandle.FileSegment(StateHandle.Directory.SHARED, "7-a", 3, 40, 5);
    return new CheckpointMetadata(
        new JobId(new Id128(3, 3)),
        checkpoint,
        1_700_000_000_000L,
        CheckpointRequest.Type.CHECKPOINT,
        List.of(
            new VertexState(
                new VertexId(new Id128(2, 1)),
                "source",
                2,
                128,
                List.of(new OperatorInfo(OPERATOR, "source")),
                List.of(
                    new SubtaskState(
                        false, List.of(), List.of(new TaskSnapshot.InFlight(0, false, inline))),
                    new SubtaskState(
                        false, List.of(), List.of(new TaskSnapshot.InFlight(0, true, segment)))))),
        List.of(new EdgeInfo(OPERATOR, "late", OPERATOR, Partitioning.HASH)));
  }

  @BeforeEach
  void write() {
    directory = parent.resolve("chk-7");
    file = directory.resolve(CheckpointStorage.METADATA);
    storage.createDirectory(directory.toString());
    storage.writeMetadata(directory.toString(), METADATA);
  }

  private StoredMetadata read() {
    return storage.readMetadata(directory.toString());
  }

  @Test
  void readsWhatWasWrittenByTheNameOfTheDirectoryOrTheFile() {
    assertThat(read()).isEqualTo(storage.readMetadata(file.toString()));
    assertThat(read().metadata()).isEqualTo(METADATA);
    assertThat(read().directory()).endsWith(directory.toString());
  }

  @Test
  void metadataIsNotReplaced() throws IOException {
    assertThatThrownBy(() -> storage.writeMetadata(directory.toString(), metadata(8)))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(file.toString());
    assertThat(read().metadata()).isEqualTo(METADATA);
    assertThat(storage.files(directory.toString())).containsExactly(CheckpointStorage.METADATA);
  }

  @Test
  void aFileThatAKilledProcessDidNotCompleteIsReplaced() throws IOException {
    Files.move(file, directory.resolve("." + CheckpointStorage.METADATA + ".inprogress"));
    assertThatThrownBy(this::read).hasMessageContaining("it was not completed");
    storage.writeMetadata(directory.toString(), metadata(8));
    assertThat(read().metadata()).isEqualTo(metadata(8));
    assertThat(storage.files(directory.toString())).containsExactly(CheckpointStorage.METADATA);
  }

  @Test
  void eachChangedByteIsNoticed() throws IOException {
    byte[] content = Files.readAllBytes(file);
    for (int at = 0; at < content.length; at++) {
      byte[] damaged = content.clone();
      damaged[at] ^= 0x10;
      Files.write(file, damaged);
      assertThatThrownBy(this::read)
          .as("byte %s", at)
          .isInstanceOf(UnusableStateException.class)
          .hasMessageContaining(file.toString());
    }
  }

  @Test
  void eachMissingOrAdditionalByteIsNoticed() throws IOException {
    byte[] content = Files.readAllBytes(file);
    for (int length = 0; length <= content.length + 1; length++) {
      if (length != content.length) {
        Files.write(file, Arrays.copyOf(content, length));
        assertThatThrownBy(this::read)
            .as("%s bytes", length)
            .isInstanceOf(UnusableStateException.class)
            .hasMessageContaining("is damaged");
      }
    }
  }

  @Test
  void anotherFormatIsNamed() throws IOException {
    byte[] content = Files.readAllBytes(file);
    int format = ByteBuffer.wrap(content).getInt(4);
    ByteBuffer.wrap(content).putInt(4, format + 1);
    Files.write(file, content);
    assertThatThrownBy(this::read)
        .isInstanceOf(UnusableStateException.class)
        .hasMessageContaining("has format " + (format + 1))
        .hasMessageContaining("this release reads format " + format);
  }

  @Test
  void aPathWithoutCheckpointIsAnErrorOfTheUser() throws IOException {
    Path empty = Files.createDirectory(parent.resolve("empty"));
    assertThatThrownBy(() -> storage.readMetadata(parent.resolve("gone").toString()))
        .hasMessageContaining("gone' does not exist");
    assertThatThrownBy(() -> storage.readMetadata(empty.toString()))
        .hasMessageContaining("has no file " + CheckpointStorage.METADATA);
  }

  @Test
  void aDeletedCheckpointLeavesNothing() throws IOException {
    Files.writeString(directory.resolve("state"), "state");
    storage.delete(directory.toString());
    assertThat(parent).isEmptyDirectory();
  }

  @Test
  void aFileThatCannotBeDeletedDoesNotKeepTheOthers() throws IOException {
    Files.writeString(Files.createDirectory(directory.resolve("1-full")).resolve("inner"), "");
    Files.writeString(directory.resolve("2-file"), "");
    assertThatThrownBy(() -> storage.deleteFiles(directory.toString(), List.of("1-full", "2-file")))
        .hasMessageContaining("1-full");
    assertThat(directory.resolve("2-file")).doesNotExist();
  }
}
