package io.millrace.task.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.fs.FileSystems;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedFilesTest {
  private final CheckpointStorage storage = new FileCheckpointStorage(FileSystems.withoutPlugins());

  @Test
  void aNameTellsWhichCheckpointWroteTheFile() {
    assertThat(SharedFileName.checkpointOf(SharedFileName.of(42, -1)))
        .isEqualTo(OptionalLong.of(42));
    assertThat(SharedFileName.checkpointOf("state-0123456789abcdef")).isEmpty();
    assertThat(SharedFileName.checkpointOf("_metadata")).isEmpty();
    assertThat(SharedFileName.checkpointOf("12-short")).isEmpty();
  }

  @Test
  void listsAndDeletesFilesOfADirectory(@TempDir Path directory) throws IOException {
    Files.createDirectory(directory.resolve("inner"));
    Files.writeString(directory.resolve("1-b"), "b");
    Files.writeString(directory.resolve("1-a"), "a");
    assertThat(storage.files(directory.toString())).containsExactly("1-a", "1-b");
    storage.deleteFiles(directory.toString(), List.of("1-a", "1-gone"));
    assertThat(storage.files(directory.toString())).containsExactly("1-b");
    assertThat(storage.files(directory.resolve("none").toString())).isEmpty();
  }
}
