package io.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.millrace.core.Bytes;
import io.millrace.core.codec.CodecException;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.VertexId;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.JobMasterGateway.SlotLost;
import io.millrace.protocol.journal.JournalEvent;
import io.millrace.protocol.reason.Reason;
import io.millrace.rpc.journal.History;
import io.millrace.rpc.journal.JournalEntry;
import io.millrace.task.Placement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bytes that no process of this release sends, and kinds of values that each message may carry. */
class HostileMessagesTest {

  static Stream<Class<? extends Record>> messages() {
    return Messages.table().stream();
  }

  /**
   * A changed byte is refused with the error of the codec, or is another value of the same types,
   * which is encoded and decoded like any other. It never causes another exception.
   */
  @ParameterizedTest
  @MethodSource("messages")
  @Behaviour("I4: bytes that are not a message of the class table are refused")
  void changedByteIsRefusedOrIsAnotherMessage(Class<? extends Record> type) {
    Random random = new Random(type.getName().hashCode());
    for (int seed = 0; seed < 3; seed++) {
      byte[] bytes = Messages.codec().encode(RecordGenerator.ofSeed(seed).record(type));
      // Some messages are long; each gets the same number of changes.
      int step = Math.max(1, bytes.length / 200);
      for (int at = random.nextInt(step); at < bytes.length; at += step) {
        byte[] changed = bytes.clone();
        changed[at] = (byte) (random.nextBoolean() ? random.nextInt() : changed[at] ^ 1);
        decodeAgain(type, seed, changed);
      }
    }
  }

  private static void decodeAgain(Class<?> type, int seed, byte[] bytes) {
    Record decoded;
    try {
      decoded = Messages.codec().decode(bytes);
    } catch (CodecException refused) {
      return;
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
      fail("Seed %d: a changed %s causes %s".formatted(seed, type.getSimpleName(), e), e);
      return;
    }
    byte[] again = Messages.codec().encode(decoded);
    assertThat(Messages.codec().encode(Messages.codec().decode(again)))
        .as("seed %d: %s", seed, type)
        .isEqualTo(again);
  }

  @ParameterizedTest
  @MethodSource("messages")
  void bytesAfterAMessageAreRefused(Class<? extends Record> type) {
    byte[] bytes = Messages.codec().encode(RecordGenerator.ofSeed(11).record(type));
    byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);

    assertThatThrownBy(() -> Messages.codec().decode(longer)).isInstanceOf(CodecException.class);
  }

  @ParameterizedTest
  @MethodSource("messages")
  void messageOfAnotherClassIsNotTakenForTheExpectedOne(Class<? extends Record> type) {
    Class<? extends Record> other = type == JobResult.class ? StoredJob.class : JobResult.class;
    Bytes bytes = Bytes.wrap(Messages.codec().encode(RecordGenerator.ofSeed(2).record(other)));

    assertThatThrownBy(() -> Messages.codec().decode(type, bytes))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("expected " + type.getName());
  }

  @Test
  void anotherVersionOfTheFormatIsNamed() {
    byte[] bytes = Messages.codec().encode(RecordGenerator.ofSeed(3).record(JobResult.class));
    bytes[0] = 9;

    assertThatThrownBy(() -> Messages.codec().decode(bytes))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("version 9")
        .hasMessageContaining("run the same release everywhere");
  }

  /** Tables of one class each would be accepted by each other; the hash of the schema differs. */
  @Test
  void fingerprintsOfTheTablesDiffer() {
    assertThat(
            List.of(
                Messages.codec().fingerprint(),
                Messages.archiveCodec().fingerprint(),
                Messages.graphCodec().fingerprint(),
                RecordCodec.of(List.of(JobGraph.class)).fingerprint(),
                RecordCodec.of(List.of(StoredJob.class)).fingerprint()))
        .doesNotHaveDuplicates();
  }

  /** Tools that inspect a store read it with the codec of messages. */
  @ParameterizedTest
  @ValueSource(
      classes = {
        JobGraph.class,
        JobResult.class,
        EndedJob.class,
        StoredJob.class,
        StoredCheckpoints.class
      })
  void storedClassesHaveTheSameBytesInBothCodecs(Class<? extends Record> type) {
    Record stored = RecordGenerator.ofSeed(4).record(type);
    assertThat(Messages.graphCodec().encode(stored)).isEqualTo(Messages.codec().encode(stored));
  }

  // --- each kind of value

  static Stream<Class<? extends Record>> reasons() {
    return RecordGenerator.leaves(Reason.class);
  }

  @ParameterizedTest
  @MethodSource("reasons")
  void everyReasonIsCarriedByAMessage(Class<? extends Record> type) {
    for (int seed = 0; seed < 20; seed++) {
      Reason reason = (Reason) RecordGenerator.ofSeed(seed).record(type);
      SlotLost message =
          new SlotLost(new WorkerId("tm-1"), new AllocationId(new Id128(0, 1)), reason);

      assertThat(Messages.codec().decode(Messages.codec().encode(message)))
          .as("seed %d", seed)
          .isEqualTo(message);
    }
  }

  static Stream<Class<? extends Record>> events() {
    return RecordGenerator.leaves(JournalEvent.class);
  }

  /** Archives have their own table of classes. */
  @ParameterizedTest
  @MethodSource("events")
  void everyEventIsKeptInAnArchive(Class<? extends Record> type) {
    ArchivedJob archived = RecordGenerator.filled().record(ArchivedJob.class);
    for (int seed = 0; seed < 5; seed++) {
      JournalEntry entry = JournalEntry.of(RecordGenerator.ofSeed(seed).record(type));
      ArchivedJob withEvent =
          new ArchivedJob(
              archived.ended(),
              archived.details(),
              new History(List.of(entry), List.of(entry), 3),
              archived.checkpoints());

      ArchivedJob decoded =
          (ArchivedJob) Messages.archiveCodec().decode(Messages.archiveCodec().encode(withEvent));

      assertThat(decoded.history()).as("seed %d", seed).isEqualTo(withEvent.history());
    }
  }

  @Test
  void archiveIsNoMessage() {
    assertThat(Messages.table()).doesNotContain(ArchivedJob.class);
    ArchivedJob archived = RecordGenerator.filled().record(ArchivedJob.class);
    assertThatThrownBy(() -> Messages.codec().encode(archived))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(ArchivedJob.class.getName());
  }

  // --- packed placements

  /** The content of a packed table, with the components in their order. */
  record Flat(String hosts, List<VertexId> vertices, List<int[]> runs) {}

  private static PlacementTable.Packed packed(Flat flat) {
    byte[] plain = RecordCodec.of(List.of(Flat.class)).encode(flat);
    Deflater deflater = new Deflater();
    try {
      deflater.setInput(plain);
      deflater.finish();
      byte[] packed = new byte[plain.length + 64];
      int length = deflater.deflate(packed);
      return new PlacementTable.Packed(Bytes.wrap(Arrays.copyOf(packed, length)), plain.length);
    } finally {
      deflater.end();
    }
  }

  private static final VertexId FIRST = new VertexId(new Id128(0, 1));
  private static final VertexId SECOND = new VertexId(new Id128(0, 2));

  @Test
  void contentOfAPackedTableIsThatOfItsParts() {
    Placement opened =
        packed(new Flat("a:1\nb:2", List.of(FIRST), List.of(new int[] {0, 2, 1, 3, 1, -1}))).open();

    assertThat(opened.hosts()).containsExactly("a:1", "b:2");
    assertThat(opened.runs().get(FIRST))
        .containsExactly(new Placement.Run(0, 2, 1), new Placement.Run(5, 1, 0));
  }

  static Stream<Flat> inconsistent() {
    return Stream.of(
        new Flat("a:1", List.of(FIRST, SECOND), List.of(new int[] {0, 1, 0})),
        new Flat("a:1", List.of(FIRST), List.of(new int[] {0, 1, 0}, new int[] {0, 1, 0})),
        new Flat("a:1", List.of(FIRST), List.of(new int[] {0, 1})),
        new Flat("a:1", List.of(FIRST), List.of(new int[] {0, 1, 0, 0})),
        new Flat("a:1", List.of(FIRST), List.of(new int[] {-1, 1, 0})),
        new Flat("a:1", List.of(FIRST), List.of(new int[] {0, 0, 0})),
        new Flat("a:1", List.of(FIRST), List.of(new int[] {0, 1, -1})),
        new Flat("a:1", List.of(FIRST), List.of(new int[] {Integer.MAX_VALUE, 1, 0})));
  }

  @ParameterizedTest
  @MethodSource("inconsistent")
  void packedTableWhosePartsDoNotFitIsRefused(Flat flat) {
    PlacementTable.Packed table = packed(flat);

    assertThatThrownBy(table::open)
        .isInstanceOfAny(
            CodecException.class, MillraceException.class, IllegalArgumentException.class);
  }

  @Test
  void hostThatIsNotInTheTableIsRefusedWhenSubtasksAreLookedUp() {
    Placement opened = packed(new Flat("a:1", List.of(FIRST), List.of(new int[] {0, 1, 7}))).open();

    assertThatThrownBy(() -> opened.hostOf(FIRST, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("exceeds 1 hosts or 1 subtasks");
  }

  // --- merged placements

  /** Workers get one table for their region and one for each region that they read from. */
  @Test
  void mergedTablesFindEachSubtaskAtItsHost() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      int parallelism = 1 + random.nextInt(20);
      List<String> names = List.of("a:1", "b:1", "c:1", "d:1");
      String[] expected = new String[parallelism];
      List<List<Placement.Run>> runs = List.of(new ArrayList<>(), new ArrayList<>());
      List<List<String>> hosts = new ArrayList<>();
      for (int table = 0; table < 2; table++) {
        List<String> shuffled = new ArrayList<>(names);
        Collections.shuffle(shuffled, random);
        hosts.add(shuffled.subList(0, 1 + random.nextInt(names.size())));
      }
      for (int subtask = 0; subtask < parallelism; subtask++) {
        int table = random.nextInt(3);
        if (table < 2) {
          int host = random.nextInt(hosts.get(table).size());
          expected[subtask] = hosts.get(table).get(host);
          runs.get(table).add(new Placement.Run(subtask, 1, host));
        }
      }
      Placement merged =
          Placement.merged(
              List.of(
                  new Placement(hosts.get(0), Map.of(FIRST, runs.get(0))),
                  new Placement(hosts.get(1), Map.of(FIRST, runs.get(1)))));

      int[] found = merged.hostOf(FIRST, parallelism);
      for (int subtask = 0; subtask < parallelism; subtask++) {
        Optional<String> host =
            found[subtask] == Placement.ELSEWHERE
                ? Optional.empty()
                : Optional.of(merged.hosts().get(found[subtask]));
        assertThat(host)
            .as("seed %d, subtask %d", seed, subtask)
            .isEqualTo(Optional.ofNullable(expected[subtask]));
      }
      assertThat(merged.hosts()).doesNotHaveDuplicates();
    }
  }
}
