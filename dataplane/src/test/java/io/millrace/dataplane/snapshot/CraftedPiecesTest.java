package io.millrace.dataplane.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.Bytes;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.Id128;
import io.millrace.core.id.OperatorId;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.records.ByteArrayOutput;
import io.millrace.dataplane.records.CodecPool;
import io.millrace.dataplane.records.RecordBatchCodec;
import io.millrace.dataplane.state.KeyGroupWatermarks;
import io.millrace.dataplane.state.StateInfo;
import io.millrace.dataplane.state.StateKind;
import io.millrace.graph.KeyGroups;
import io.millrace.task.checkpoint.KeyGroupRange;
import io.millrace.task.checkpoint.OperatorSnapshot;
import io.millrace.task.checkpoint.OperatorSnapshot.Redistribution;
import io.millrace.task.checkpoint.StateHandle;
import io.millrace.task.checkpoint.TaskRestore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Pieces with right checksums and wrong content: what a broken writer, or somebody who made them by
 * hand, may have stored. Whatever they say, they are refused with the name of the piece, and take
 * no more memory than they have bytes.
 */
class CraftedPiecesTest {
  private static final int GROUPS = 8;
  private static final KeyGroupRange ALL = new KeyGroupRange(0, GROUPS);

  @TempDir Path directory;

  private final CodecPool codecs =
      new CodecPool(
          () ->
              new RecordBatchCodec(
                  CraftedPiecesTest.class.getClassLoader(), Runnable::run, Map.of(), true));

  // --- how a piece is made

  /** A footer of keyed state, of which a test changes a part. */
  private static final class KeyedFooter {
    int first = 0;
    int end = GROUPS;
    int watermarkEnd = GROUPS;
    String kind = StateKind.VALUE.name();
    int flags;
    int states = 1;
    int group = KeyGroups.groupOf("key", GROUPS);
    long offset = PieceFormat.HEADER_BYTES;
    int batches = 1;
    long entries = 1;

    ByteArrayOutput bytes() {
      ByteArrayOutput footer = new ByteArrayOutput();
      footer.putVarInt(first);
      footer.putVarInt(end);
      footer.putVarInt(watermarkEnd);
      footer.putLong(77);
      footer.putVarInt(states);
      PieceText.write("values", footer);
      PieceText.write(kind, footer);
      footer.putByte(flags);
      new SchemaSection(List.of(), List.of()).write(footer);
      footer.putVarInt(1);
      footer.putVarInt(group);
      footer.putVarLong(offset);
      footer.putVarInt(batches);
      footer.putVarLong(entries);
      return footer;
    }
  }

  private interface Change<T> {
    void apply(T footer);
  }

  /** The bytes of a batch. */
  private ByteArrayOutput batch(int state, int count, List<?> keys, List<?> values) {
    ByteArrayOutput batch = new ByteArrayOutput();
    batch.putVarInt(state);
    batch.putVarInt(count);
    encode(keys, batch);
    encode(values, batch);
    return batch;
  }

  private void encode(List<?> objects, ByteArrayOutput to) {
    RecordBatchCodec codec = codecs.borrowCodec();
    ByteArrayOutput part = new ByteArrayOutput();
    codec.encode(objects.toArray(), 0, objects.size(), part);
    to.putVarInt(part.size());
    to.putBytes(part.array(), 0, part.size());
    codecs.returnCodec(codec);
  }

  private static byte[] piece(int type, ByteArrayOutput batch, ByteArrayOutput footer)
      throws IOException {
    try (PieceOutput out = new PieceOutput(null, Integer.MAX_VALUE)) {
      PieceWriter writer = new PieceWriter(out, type);
      writer.batch(batch);
      writer.footer(footer);
      return ((StateHandle.Inline) out.finish()).bytes().toArray();
    }
  }

  // --- how a piece is read

  private RestoredState restored(
      List<OperatorSnapshot.Keyed> keyed, List<TaskRestore.RestoredList> lists) {
    TaskRestore.OperatorRestore operator =
        new TaskRestore.OperatorRestore(new OperatorId(new Id128(3, 4)), ALL, keyed, lists);
    TaskRestore task =
        new TaskRestore(
            7, directory.toString(), directory.toString(), false, List.of(operator), List.of());
    return new RestoredState(
        StateFileSource.storage(FileSystems.withoutPlugins()), task, operator, GROUPS, codecs);
  }

  private static StateHandle inline(byte[] bytes) {
    return new StateHandle.Inline(Bytes.wrap(bytes));
  }

  private List<String> read(byte[] piece) {
    List<String> lines = new ArrayList<>();
    restored(
            List.of(
                new OperatorSnapshot.Keyed(ALL, OperatorSnapshot.Keyed.CANONICAL, inline(piece))),
            List.of())
        .forEachKeyed(
            new KeyedStateVisitor() {
              @Override
              public void group(long watermark) {
                lines.add("at " + watermark);
              }

              @Override
              public void entry(StateInfo info, Object key, long start, long end, Object value) {
                lines.add(info.name() + " " + key + "=" + value);
              }
            });
    return lines;
  }

  private void assertRefused(byte[] piece, String why) {
    assertThatThrownBy(() -> read(piece))
        .isInstanceOf(MillraceException.class)
        .hasMessageStartingWith("A piece in the metadata of checkpoint 7")
        .hasMessageContaining(why);
  }

  private void assertRefused(Change<KeyedFooter> change, String why) throws IOException {
    KeyedFooter footer = new KeyedFooter();
    change.apply(footer);
    assertRefused(
        piece(PieceFormat.KEYED, batch(0, 1, List.of("key"), List.of(5)), footer.bytes()), why);
  }

  @Test
  void aRightPieceIsRead() throws IOException {
    byte[] piece =
        piece(
            PieceFormat.KEYED, batch(0, 1, List.of("key"), List.of(5)), new KeyedFooter().bytes());
    assertThat(read(piece)).containsExactly("at 77", "values key=5");
  }

  @Test
  @Behaviour("H3: a damaged, truncated or missing state file is an error that names the file")
  void aFooterThatDoesNotFitItsPieceIsRefused() throws IOException {
    assertRefused(footer -> footer.first = GROUPS + 1, "footer is malformed");
    assertRefused(footer -> footer.first = -1, "footer is malformed");
    assertRefused(footer -> footer.end = -1, "footer is malformed");
    assertRefused(footer -> footer.watermarkEnd = GROUPS + 1, "key group 9 after 0");
    assertRefused(footer -> footer.watermarkEnd = 0, "key group 0 after 0");
    assertRefused(footer -> footer.kind = "QUEUE", "footer is malformed");
    assertRefused(footer -> footer.flags = 3, "The state of a window has no time to live");
    assertRefused(footer -> footer.states = Integer.MAX_VALUE, "2147483647 elements are announced");
    assertRefused(footer -> footer.states = -1, "-1 elements are announced");
    for (long offset : new long[] {-1, 0, 10_000, Long.MAX_VALUE, Long.MIN_VALUE}) {
      assertRefused(footer -> footer.offset = offset, "batches at byte " + offset);
    }
    for (int batches : new int[] {-1, 100, Integer.MAX_VALUE}) {
      assertRefused(footer -> footer.batches = batches, batches + " batches at byte 6");
    }
    assertRefused(footer -> footer.batches = 2, "batch");
    assertRefused(footer -> footer.entries = 2, "its index has 2 entries, and 1 were found");
    assertRefused(footer -> footer.entries = -1, "its index has -1 entries");
    assertRefused(
        footer -> footer.group = (footer.group + 1) % GROUPS,
        "a key of java.lang.String is in key group");
  }

  @Test
  void aBatchThatDoesNotFitItsFooterIsRefused() throws IOException {
    KeyedFooter footer = new KeyedFooter();
    for (int state : new int[] {-1, 1, Integer.MAX_VALUE}) {
      assertRefused(
          piece(PieceFormat.KEYED, batch(state, 1, List.of("key"), List.of(5)), footer.bytes()),
          "a batch has the unknown state " + state);
    }
    for (int count : new int[] {-1, 1_000, Integer.MAX_VALUE}) {
      assertRefused(
          piece(PieceFormat.KEYED, batch(0, count, List.of("key"), List.of(5)), footer.bytes()),
          "announces " + count + " entries");
    }
    assertRefused(
        piece(PieceFormat.KEYED, batch(0, 1, List.of("key", "a"), List.of(5)), footer.bytes()),
        "a batch of 1 entries has 2 keys and 1 values");
    assertRefused(
        piece(PieceFormat.KEYED, batch(0, 1, List.of("key"), List.of(5, 6)), footer.bytes()),
        "a batch of 1 entries has 1 keys and 2 values");
    // Windows are missing, so that what is read as such is not.
    KeyedFooter windows = new KeyedFooter();
    windows.flags = 1;
    assertThatThrownBy(
            () ->
                read(
                    piece(
                        PieceFormat.KEYED,
                        batch(0, 1, List.of("key"), List.of(5)),
                        windows.bytes())))
        .isInstanceOf(MillraceException.class);
    assertRefused(
        piece(PieceFormat.KEYED, new ByteArrayOutput(), footer.bytes()), "cannot be restored");
  }

  @Test
  void anotherKindOfPieceIsNotTakenForKeyedState() throws IOException {
    ByteArrayOutput batch = batch(0, 1, List.of("key"), List.of(5));
    assertRefused(
        piece(PieceFormat.LIST, batch, new KeyedFooter().bytes()), "it contains another kind");
    byte[] later = piece(PieceFormat.KEYED, batch, new KeyedFooter().bytes());
    later[4] = PieceFormat.VERSION + 1;
    assertRefused(later, "Use a release that reads it");
    later[4] = 0;
    assertRefused(later, "Use a release that reads it");
    assertRefused(new byte[PieceFormat.HEADER_BYTES + 1], "it has only 7 bytes");
    assertRefused(new byte[0], "it has only 0 bytes");
  }

  @Test
  void aChangedFooterWithARightChecksumIsReadOrRefused() throws IOException {
    ByteArrayOutput batch = batch(0, 1, List.of("key"), List.of(5));
    ByteArrayOutput whole = new KeyedFooter().bytes();
    Random random = new Random(3);
    int refused = 0;
    for (int i = 0; i < 5_000; i++) {
      ByteArrayOutput changed = new ByteArrayOutput();
      byte[] bytes = Arrays.copyOf(whole.array(), whole.size());
      for (int times = random.nextInt(3); times >= 0; times--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      int length = random.nextInt(4) == 0 ? random.nextInt(bytes.length) : bytes.length;
      changed.putBytes(bytes, 0, length);
      byte[] piece = piece(PieceFormat.KEYED, batch, changed);
      try {
        read(piece);
      } catch (MillraceException e) {
        refused++;
        assertThat(e).hasMessageContaining("A piece in the metadata of checkpoint 7");
      }
    }
    assertThat(refused).isGreaterThan(1_000);
  }

  // --- operator state

  private void assertListRefused(byte[] piece, int from, int to, String why) {
    RestoredState state =
        restored(
            List.of(),
            List.of(
                new TaskRestore.RestoredList(
                    "elements",
                    Redistribution.SPLIT,
                    List.of(new TaskRestore.Slice(inline(piece), from, to)))));
    assertThatThrownBy(() -> new OperatorStateBackend().restore(state))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(why);
  }

  private byte[] list(int elements, int batches) throws IOException {
    ByteArrayOutput batch = new ByteArrayOutput();
    RecordBatchCodec codec = codecs.borrowCodec();
    codec.encode(new Object[] {"a", "b", "c"}, 0, 3, batch);
    codecs.returnCodec(codec);
    ByteArrayOutput footer = new ByteArrayOutput();
    footer.putVarInt(elements);
    footer.putVarInt(batches);
    new SchemaSection(List.of(), List.of()).write(footer);
    return piece(PieceFormat.LIST, batch, footer);
  }

  @Test
  void anOperatorStateWithAnotherNumberOfElementsIsRefused() throws IOException {
    assertListRefused(list(3, 1), 0, 4, "it has 3 elements, and 4 are expected");
    assertListRefused(list(5, 1), 0, 4, "its footer has 5 elements, and 3 were found");
    assertListRefused(list(3, 0), 0, 3, "its footer has 3 elements, and 0 were found");
    assertListRefused(list(3, -1), 0, 3, "-1 batches");
    assertListRefused(list(3, Integer.MAX_VALUE), 0, 3, "2147483647 batches");
    OperatorStateBackend backend = new OperatorStateBackend();
    backend.restore(
        restored(
            List.of(),
            List.of(
                new TaskRestore.RestoredList(
                    "elements",
                    Redistribution.SPLIT,
                    List.of(
                        new TaskRestore.Slice(inline(list(3, 1)), 1, 3),
                        new TaskRestore.Slice(inline(list(3, 1)), 0, 0),
                        new TaskRestore.Slice(inline(list(3, 1)), 0, 1))))));
    assertThat(backend.list("elements", Redistribution.SPLIT).elements())
        .isEqualTo(List.of("b", "c", "a"));
  }

  // --- files of a backend

  /** A piece with one file of a backend, under any name. */
  private byte[] nativePiece(String own, String shared) throws IOException {
    ByteArrayOutput content = new ByteArrayOutput();
    content.putBytes(new byte[] {1, 2, 3}, 0, 3);
    ByteArrayOutput footer = new ByteArrayOutput();
    footer.putVarInt(0);
    footer.putVarInt(GROUPS);
    WatermarkSection.write(KeyGroupWatermarks.same(5), ALL, footer);
    footer.putVarInt(0);
    footer.putVarInt(0);
    new SchemaSection(List.of(), List.of()).write(footer);
    footer.putVarInt(0);
    footer.putVarInt(1);
    PieceText.write(own, footer);
    footer.putVarInt(shared.isEmpty() ? 0 : 1);
    if (!shared.isEmpty()) {
      PieceText.write(shared, footer);
      PieceText.write("file-of-the-checkpoint", footer);
    }
    return piece(PieceFormat.NATIVE, content, footer);
  }

  private List<RestoredState.RestoredFiles> files(byte[] piece) {
    return restored(List.of(new OperatorSnapshot.Keyed(ALL, "store", inline(piece))), List.of())
        .files("store");
  }

  @Test
  void filesOfABackendStayInTheirDirectory() throws IOException {
    Path home = Files.createDirectory(directory.resolve("home"));
    files(nativePiece("CURRENT", "")).get(0).download().accept(home);
    assertThat(home.resolve("CURRENT")).hasBinaryContent(new byte[] {1, 2, 3});
    for (String name :
        List.of("../outside", directory.resolve("outside").toString(), "..", "a\\b", "", " ")) {
      for (byte[] piece : List.of(nativePiece(name, ""), nativePiece("CURRENT", name + "/"))) {
        assertThatThrownBy(() -> files(piece))
            .as(name)
            .isInstanceOf(MillraceException.class)
            .hasMessageContaining("footer is malformed")
            .hasMessageContaining("is no plain file name");
      }
    }
    assertThat(directory.resolve("outside")).doesNotExist();
    assertThatThrownBy(
            () -> files(nativePiece("CURRENT", "000001.sst")).get(0).download().accept(home))
        .hasMessageContaining("it refers to the unknown file file-of-the-checkpoint");
    Set<String> left = new TreeSet<>();
    try (var list = Files.list(home)) {
      list.forEach(file -> left.add(file.getFileName().toString()));
    }
    assertThat(left).containsExactly("CURRENT");
  }

  @Test
  void aDirectoryThatCannotBeWrittenIsNamed() throws IOException {
    Path missing = directory.resolve("missing");
    assertThatThrownBy(() -> files(nativePiece("CURRENT", "")).get(0).download().accept(missing))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("State cannot be copied to " + missing);
  }
}
