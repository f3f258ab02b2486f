package io.millrace.control.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.ha.CheckpointStore;
import io.millrace.control.ha.MemoryHaStore;
import io.millrace.control.testing.Graphs;
import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.OperatorId;
import io.millrace.core.id.VertexId;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.Messages;
import io.millrace.task.checkpoint.CheckpointMetadata;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.CheckpointStorage;
import io.millrace.task.checkpoint.FileCheckpointStorage;
import io.millrace.task.checkpoint.KeyGroupRange;
import io.millrace.task.checkpoint.OperatorSnapshot;
import io.millrace.task.checkpoint.StateHandle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Deletion of retained checkpoints that share files. */
class CheckpointServicesTest {
  private static final JobGraph GRAPH = new Graphs(2).vertex("source", 1).build();
  private static final JobId JOB = GRAPH.id();

  private final CheckpointStorage storage = new FileCheckpointStorage(FileSystems.withoutPlugins());
  private final CheckpointServices services =
      new CheckpointServices(
          new CheckpointStore(new MemoryHaStore(), RecordCodec.of(Messages.table())), storage);

  @TempDir private Path checkpoints;
  private Path directory;

  @BeforeEach
  void create() throws IOException {
    directory = checkpoints.resolve(JOB.toString());
    Files.createDirectories(directory.resolve("shared"));
  }

  /** Stores a checkpoint that needs some shared files. */
  private Path checkpoint(int number, String... files) throws IOException {
    for (String file : files) {
      Files.writeString(directory.resolve("shared").resolve(file), "content");
    }
    OperatorId operator = new OperatorId(new Id128(5, 6));
    CheckpointMetadata.SubtaskState subtask =
        new CheckpointMetadata.SubtaskState(
            false,
            List.of(
                new OperatorSnapshot(
                    operator,
                    List.of(
                        new OperatorSnapshot.Keyed(
                            new KeyGroupRange(0, 1),
                            "other",
                            new StateHandle.Inline(Bytes.utf8("files")),
                            Stream.of(files)
                                .map(
                                    name ->
                                        new StateHandle.FileSegment(
                                            StateHandle.Directory.SHARED, name, 0, 1, 0))
                                .toList())),
                    List.of())),
            List.of());
    Path target = directory.resolve("chk-" + number);
    storage.createDirectory(target.toString());
    storage.writeMetadata(
        target.toString(),
        new CheckpointMetadata(
            JOB,
            number,
            2,
            CheckpointRequest.Type.CHECKPOINT,
            List.of(
                new CheckpointMetadata.VertexState(
                    new VertexId(new Id128(3, 4)),
                    "vertex",
                    1,
                    1,
                    List.of(new CheckpointMetadata.OperatorInfo(operator, "operator")),
                    List.of(subtask)))));
    return target;
  }

  private void dispose(Path checkpoint) {
    services.dispose(storage.readMetadata(checkpoint.toString()));
  }

  private List<String> shared() {
    return storage.files(directory.resolve("shared").toString());
  }

  @Test
  @Behaviour(
      "H4: the deletion of a retained checkpoint deletes the shared files that no other one needs,"
          + " and only these")
  void sharedFilesGoWithTheLastCheckpointThatNeedsThem() throws Exception {
    Path first = checkpoint(1, "1-a", "1-b");
    Path second = checkpoint(2, "1-b", "2-c");
    Files.writeString(directory.resolve("shared/of-nobody"), "content");
    dispose(second);
    assertThat(second).doesNotExist();
    assertThat(shared()).containsExactly("1-a", "1-b", "of-nobody");
    dispose(first);
    assertThat(shared()).containsExactly("of-nobody");
  }

  @Test
  void sharedFilesStayIfACheckpointBesideThemCannotBeRead() throws Exception {
    Path first = checkpoint(1, "1-a", "1-b");
    Path second = checkpoint(2, "1-b");
    Files.writeString(first.resolve("_metadata"), "damaged");
    dispose(second);
    assertThat(second).doesNotExist();
    assertThat(shared()).containsExactly("1-a", "1-b");
  }

  @Test
  void directoryOfTheJobGoesWithItsLastCheckpoint() throws Exception {
    Path first = checkpoint(1, "1-a");
    Path second = checkpoint(2, "1-a");
    dispose(first);
    assertThat(directory).exists();
    dispose(second);
    assertThat(directory).doesNotExist();
    assertThat(checkpoints).exists();
  }

  @Test
  void otherFilesInTheDirectoryOfTheJobStay() throws Exception {
    Path only = checkpoint(1, "1-a");
    Files.writeString(directory.resolve("notes"), "mine");
    dispose(only);
    assertThat(directory.resolve("notes")).exists();
    assertThat(shared()).isEmpty();
  }

  @Test
  void directoryOfALaterRunGoesWithItsLastCheckpoint() throws Exception {
    directory = checkpoints.resolve(JOB + "-2");
    Files.createDirectories(directory.resolve("shared"));
    dispose(checkpoint(1, "1-a"));
    assertThat(directory).doesNotExist();
  }

  @Test
  void laterRunsOfAJobHaveDirectoriesOfTheirOwn() throws Exception {
    CheckpointLocations first =
        CheckpointLocations.of(
            JOB, Configuration.EMPTY.with(CheckpointingOptions.DIRECTORY, checkpoints.toString()));
    assertThat(first.withoutEarlierRuns(storage)).as("no checkpoint is there").isEqualTo(first);
    checkpoint(7, "5-a");
    assertThat(first.withoutEarlierRuns(storage).ofJob()).contains(directory + "-2");
    Files.createDirectories(Path.of(directory + "-2", "chk-8"));
    Files.createDirectories(Path.of(directory + "-3", "shared"));
    CheckpointLocations third = first.withoutEarlierRuns(storage);
    assertThat(third.checkpoint(9)).isEqualTo(directory + "-3/chk-9");
    assertThat(third.shared()).isEqualTo(directory + "-3/shared");
  }
}
