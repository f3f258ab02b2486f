package io.millrace.task.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.OperatorId;
import io.millrace.core.id.VertexId;
import io.millrace.graph.Partitioning;
import io.millrace.task.checkpoint.CheckpointMetadata.EdgeInfo;
import io.millrace.task.checkpoint.CheckpointMetadata.OperatorInfo;
import io.millrace.task.checkpoint.CheckpointMetadata.SubtaskState;
import io.millrace.task.checkpoint.CheckpointMetadata.VertexState;
import io.millrace.task.checkpoint.OperatorSnapshot.Keyed;
import io.millrace.task.checkpoint.OperatorSnapshot.ListState;
import io.millrace.task.checkpoint.OperatorSnapshot.Redistribution;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.CRC32C;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** The bytes of metadata files, which later releases read, and what is computed from metadata. */
class StoredMetadataFormatTest {
  private static final int SEEDS = 200;

  /** Each of them writes a file that reaches the disk. */
  private static final int WRITTEN_SEEDS = 40;

  private static final int HEADER = 16;

  @TempDir Path parent;
  private final CheckpointStorage storage = new FileCheckpointStorage(FileSystems.withoutPlugins());

  private static StateHandle.FileSegment file(StateHandle.Directory directory, String name) {
    return new StateHandle.FileSegment(directory, name, 3, 300, -1);
  }

  /** Small, with each kind of part once. */
  private static CheckpointMetadata sample() {
    OperatorId source = new OperatorId(new Id128(1, 1));
    OperatorId count = new OperatorId(new Id128(1, 2));
    StateHandle inline = new StateHandle.Inline(Bytes.utf8("abc"));
    SubtaskState subtask =
        new SubtaskState(
            false,
            List.of(
                new OperatorSnapshot(
                    count,
                    List.of(
                        new Keyed(
                            new KeyGroupRange(0, 128),
                            Keyed.CANONICAL,
                            file(StateHandle.Directory.EXCLUSIVE, "state-1"),
                            List.of(file(StateHandle.Directory.SHARED, "7-00ff")))),
                    List.of(
                        new ListState("splits", Redistribution.SPLIT, 2, inline),
                        new ListState("rules", Redistribution.BROADCAST, 0, inline)))),
            List.of(new TaskSnapshot.InFlight(0, true, inline)));
    return new CheckpointMetadata(
        new JobId(new Id128(3, 4)),
        7,
        1_700_000_000_000L,
        CheckpointRequest.Type.SAVEPOINT,
        List.of(
            new VertexState(
                new VertexId(new Id128(2, 1)),
                "source",
                1,
                128,
                List.of(new OperatorInfo(source, "numbers")),
                List.of(SubtaskState.FINISHED)),
            new VertexState(
                new VertexId(new Id128(2, 2)),
                "count",
                2,
                128,
                List.of(new OperatorInfo(count, "count")),
                List.of(subtask))),
        List.of(new EdgeInfo(source, "late", count, Partitioning.HASH)));
  }

  /**
   * The file of {@link #sample()} in format 3. If this test fails because a record has changed, old
   * savepoints cannot be read: the version of the format has to change, too, and then this text.
   */
  private static final String FORMAT_3 =
      "4d52434d00000003000000c3c415136d010006080e80a0abfef9620953415645504f494e54020402"
          + "06736f75726365028002010202076e756d6265727301010000040405636f756e7404800201020405"
          + "636f756e740100010204010080020963616e6f6e6963616c00094558434c55534956450773746174"
          + "652d3106d80401010653484152454406372d3030666606d80401020673706c6974730553504c4954"
          + "0401036162630572756c65730942524f414443415354000103616263010001010361626301020204"
          + "6c61746502040448415348";

  private Path write(CheckpointMetadata metadata) throws IOException {
    Path directory = Files.createTempDirectory(parent, "chk");
    storage.writeMetadata(directory.toString(), metadata);
    return directory;
  }

  @Test
  void bytesOfFormatThreeDoNotChange() throws IOException {
    byte[] written = Files.readAllBytes(write(sample()).resolve(CheckpointStorage.METADATA));

    assertThat(HexFormat.of().formatHex(written)).isEqualTo(FORMAT_3);
  }

  @Test
  void bytesOfFormatThreeAreRead() throws IOException {
    Path directory = Files.createDirectory(parent.resolve("old"));
    Files.write(directory.resolve(CheckpointStorage.METADATA), HexFormat.of().parseHex(FORMAT_3));

    assertThat(storage.readMetadata(directory.toString()).metadata()).isEqualTo(sample());
  }

  @Test
  void anyMetadataIsReadAsItWasWritten() throws IOException {
    for (int seed = 0; seed < WRITTEN_SEEDS; seed++) {
      CheckpointMetadata metadata = new RandomMetadata(seed).next();
      Path directory = write(metadata);

      assertThat(storage.readMetadata(directory.toString()).metadata())
          .as("seed %d", seed)
          .isEqualTo(metadata);
    }
  }

  /** Somebody may have changed the content and its checksum; the disk did not. */
  @Test
  void changedContentWithTheRightChecksumIsRefusedOrIsOtherMetadata() throws IOException {
    Path directory = write(sample());
    Path file = directory.resolve(CheckpointStorage.METADATA);
    byte[] content = Files.readAllBytes(file);
    int refused = 0;
    for (int at = HEADER; at < content.length; at++) {
      for (int bit : new int[] {0, 3, 7}) {
        byte[] changed = content.clone();
        changed[at] ^= (byte) (1 << bit);
        Files.write(file, withChecksum(changed));
        try {
          CheckpointMetadata other = storage.readMetadata(directory.toString()).metadata();
          assertThat(other).as("byte %d, bit %d", at, bit).isNotEqualTo(sample());
        } catch (UnusableStateException e) {
          assertThat(e).hasMessageContaining("is damaged").hasMessageContaining(file.toString());
          assertThat(e.kind()).isEqualTo(ErrorKind.USER);
          refused++;
        }
      }
    }
    assertThat(refused).isPositive();
  }

  /** A name with a path could be that of any file of the machine. */
  @Test
  void nameOfAFileThatLeavesTheDirectoryIsRefused() throws IOException {
    Path directory = write(sample());
    Path file = directory.resolve(CheckpointStorage.METADATA);
    byte[] content = Files.readAllBytes(file);
    for (String name : List.of("../etc1", "a/etc11", "..\\etc1", ".hidden")) {
      byte[] changed = replaced(content, "state-1", name);
      Files.write(file, withChecksum(changed));

      assertThatThrownBy(() -> storage.readMetadata(directory.toString()))
          .as(name)
          .isInstanceOf(UnusableStateException.class)
          .hasMessageContaining("must be a plain file name, not '" + name + "'");
    }
  }

  private static byte[] withChecksum(byte[] content) {
    CRC32C checksum = new CRC32C();
    checksum.update(content, HEADER, content.length - HEADER);
    ByteBuffer.wrap(content).putInt(HEADER - 4, (int) checksum.getValue());
    return content;
  }

  private static byte[] replaced(byte[] content, String before, String after) {
    assertThat(after).hasSameSizeAs(before);
    byte[] changed = content.clone();
    byte[] pattern = before.getBytes(StandardCharsets.UTF_8);
    for (int at = HEADER; at + pattern.length <= content.length; at++) {
      if (Arrays.equals(content, at, at + pattern.length, pattern, 0, pattern.length)) {
        byte[] bytes = after.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(bytes, 0, changed, at, bytes.length);
        return changed;
      }
    }
    return fail("The metadata has no " + before);
  }

  @Test
  void olderAndNewerFormatsAreNamedWithTheFile() throws IOException {
    Path directory = write(sample());
    Path file = directory.resolve(CheckpointStorage.METADATA);
    byte[] content = Files.readAllBytes(file);
    for (int format : new int[] {0, 1, 2, 4, 1_000, -1}) {
      ByteBuffer.wrap(content).putInt(4, format);
      Files.write(file, content);

      assertThatThrownBy(() -> storage.readMetadata(directory.toString()))
          .isInstanceOf(UnusableStateException.class)
          .hasMessage(
              "Metadata "
                  + file
                  + " has format "
                  + format
                  + ", this release reads format 3. Use the release that wrote it, or a later one.");
    }
  }

  @Test
  void savepointThatWasMovedIsReadAtItsNewPlace() throws IOException {
    Path before = write(sample());
    Path after = parent.resolve("moved/here");
    Files.createDirectories(after.getParent());
    Files.move(before, after);

    CheckpointStorage.StoredMetadata stored = storage.readMetadata(after.toString());

    assertThat(stored.directory()).endsWith(after.toString());
    assertThat(stored.metadata()).isEqualTo(sample());
    assertThat(storage.readMetadata(after.resolve(CheckpointStorage.METADATA).toString()))
        .isEqualTo(stored);
  }

  @Test
  void troubleOfTheStorageIsExternalAndNamesThePath() throws IOException {
    Path blocked = Files.writeString(parent.resolve("file"), "");
    String inside = blocked.resolve("chk-1").toString();
    Path full = Files.createDirectory(parent.resolve("full"));
    Files.createDirectory(full.resolve(CheckpointStorage.METADATA));

    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> storage.createDirectory(inside),
            () -> storage.writeMetadata(inside, sample()),
            () -> storage.files(blocked.toString()),
            () -> storage.directories(blocked.toString()),
            () -> storage.readMetadata(full.toString()))) {
      assertThatThrownBy(call)
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.EXTERNAL))
          .isNotInstanceOf(UnusableStateException.class)
          .hasMessageContaining(parent.toString())
          .hasMessageContaining(" of ")
          .hasMessageContaining("cannot be ");
    }
  }

  @Test
  void directoriesAndFilesAreListedApartAndSorted() throws IOException {
    Files.createDirectory(parent.resolve("chk-9"));
    Files.createDirectory(parent.resolve("chk-10"));
    Files.writeString(parent.resolve("7-b"), "");
    Files.writeString(parent.resolve("7-a"), "");

    assertThat(storage.directories(parent.toString())).containsExactly("chk-10", "chk-9");
    assertThat(storage.files(parent.toString())).containsExactly("7-a", "7-b");
    assertThat(storage.directories(parent.resolve("none").toString())).isEmpty();
  }

  // --- what is computed

  @Test
  void sizesAndSharedFilesAreThoseOfAllParts() {
    for (int seed = 0; seed < SEEDS; seed++) {
      CheckpointMetadata metadata = new RandomMetadata(seed).next();
      long size = 0;
      Set<String> shared = new TreeSet<>();
      for (VertexState vertex : metadata.vertices()) {
        for (SubtaskState subtask : vertex.subtasks()) {
          for (OperatorSnapshot operator : subtask.operators()) {
            size += sizeOf(operator, shared);
          }
          for (TaskSnapshot.InFlight records : subtask.inFlight()) {
            size += sizeOf(records.handle());
          }
        }
      }

      assertThat(metadata.size()).as("seed %d", seed).isEqualTo(size);
      assertThat(metadata.sharedFiles()).as("seed %d", seed).containsExactlyElementsOf(shared);
    }
  }

  private static long sizeOf(OperatorSnapshot operator, Set<String> shared) {
    long size = 0;
    for (Keyed keyed : operator.keyed()) {
      size += sizeOf(keyed.handle());
      for (StateHandle.FileSegment file : keyed.files()) {
        size += file.size();
        if (file.directory() == StateHandle.Directory.SHARED) {
          shared.add(file.file());
        }
      }
    }
    for (ListState list : operator.lists()) {
      size += sizeOf(list.handle());
    }
    return size;
  }

  private static long sizeOf(StateHandle handle) {
    if (handle instanceof StateHandle.Inline inline) {
      return inline.bytes().length();
    } else if (handle instanceof StateHandle.FileSegment file) {
      return file.size();
    }
    throw new AssertionError("Another kind of handle: " + handle);
  }

  @Test
  void onlyFilesOfEarlierCheckpointsAreNotNew() {
    long checkpoint = 3;
    for (int seed = 0; seed < SEEDS; seed++) {
      RandomMetadata generator = new RandomMetadata(seed);
      List<OperatorSnapshot> operators =
          List.of(
              generator.operator(RandomMetadata.operator(1), 0),
              generator.operator(RandomMetadata.operator(2), 1));
      TaskSnapshot snapshot =
          new TaskSnapshot(
              new ExecutionId(new Id128(5, 5)),
              operators,
              List.of(new TaskSnapshot.InFlight(0, true, generator.handle())),
              TaskSnapshot.Timing.NONE);
      long earlier = 0;
      boolean files = false;
      for (OperatorSnapshot operator : operators) {
        for (Keyed keyed : operator.keyed()) {
          files |= keyed.handle() instanceof StateHandle.FileSegment || !keyed.files().isEmpty();
          for (StateHandle.FileSegment file : keyed.files()) {
            if (file.file().startsWith("1-")
                || file.file().startsWith("2-")
                || file.file().startsWith("4-")) {
              earlier += file.size();
            }
          }
        }
        files |=
            operator.lists().stream()
                .anyMatch(list -> list.handle() instanceof StateHandle.FileSegment);
      }

      assertThat(snapshot.newBytes(checkpoint))
          .as("seed %d", seed)
          .isEqualTo(snapshot.size() - earlier);
      assertThat(operators.stream().anyMatch(OperatorSnapshot::hasFiles))
          .as("seed %d", seed)
          .isEqualTo(files);
    }
  }

  @Test
  void vertexOfAnOperatorIsTheOneWhoseChainHasIt() {
    for (int seed = 0; seed < SEEDS; seed++) {
      CheckpointMetadata metadata = new RandomMetadata(seed).next();
      for (VertexState vertex : metadata.vertices()) {
        for (OperatorInfo operator : vertex.operators()) {
          assertThat(metadata.vertexOf(operator.id())).as("seed %d", seed).contains(vertex);
        }
      }
      assertThat(metadata.vertexOf(RandomMetadata.operator(1_000))).isEmpty();
    }
  }

  /** Digits of some languages are not those of the names of files. */
  @Test
  @ResourceLock(Resources.LOCALE)
  void namesOfSharedFilesDoNotDependOnTheLanguageOfTheUser() {
    Locale before = Locale.getDefault();
    try {
      Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
      String name = SharedFileName.of(1_234_567, 0xabcL);
      assertThat(name).isEqualTo("1234567-0000000000000abc");
      assertThat(SharedFileName.checkpointOf(name)).hasValue(1_234_567);
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void otherNamesAreOfNoCheckpoint() {
    for (long checkpoint : new long[] {1, 9, 10, 999_999_999_999_999_999L}) {
      for (long random : new long[] {0, 1, -1, Long.MIN_VALUE}) {
        assertThat(SharedFileName.checkpointOf(SharedFileName.of(checkpoint, random)))
            .hasValue(checkpoint);
      }
    }
    String random = "0123456789abcdef";
    for (String name :
        List.of(
            "",
            "-",
            "-" + random,
            "7" + random,
            "7-" + random + "0",
            "7-" + random.substring(1),
            "+7-" + random,
            "7 -" + random,
            "0x7-" + random,
            "\u0667-" + random,
            "1234567890123456789-" + random)) {
      assertThat(SharedFileName.checkpointOf(name)).as(name).isEmpty();
    }
  }
}
