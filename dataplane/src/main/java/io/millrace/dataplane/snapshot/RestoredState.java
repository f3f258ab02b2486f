package io.millrace.dataplane.snapshot;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FileSystems;
import io.millrace.dataplane.records.ByteArrayInput;
import io.millrace.dataplane.records.CodecPool;
import io.millrace.dataplane.records.RecordBatchCodec;
import io.millrace.dataplane.state.StateInfo;
import io.millrace.graph.KeyGroups;
import io.millrace.task.checkpoint.KeyGroupRange;
import io.millrace.task.checkpoint.OperatorSnapshot;
import io.millrace.task.checkpoint.TaskRestore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The state of a checkpoint with which an operator of a subtask starts. It reads only the key
 * groups of the subtask. Reading blocks.
 */
public final class RestoredState {
  private final FileSystems systems;
  private final TaskRestore task;
  private final TaskRestore.OperatorRestore operator;
  private final int maxParallelism;
  private final CodecPool codecs;

  public RestoredState(
      FileSystems systems,
      TaskRestore task,
      TaskRestore.OperatorRestore operator,
      int maxParallelism,
      CodecPool codecs) {
    this.systems = systems;
    this.task = task;
    this.operator = operator;
    this.maxParallelism = maxParallelism;
    this.codecs = codecs;
  }

  /** Passes all entries of the subtask's key groups to a visitor. */
  public void forEachKeyed(KeyedStateVisitor visitor) {
    RecordBatchCodec codec = codecs.borrowCodec();
    try {
      for (OperatorSnapshot.Keyed piece : operator.keyed()) {
        if (!piece.format().equals(OperatorSnapshot.Keyed.CANONICAL)) {
          throw new MillraceException(
              ErrorKind.USER,
              "Checkpoint "
                  + task.checkpoint()
                  + " has keyed state in the format '"
                  + piece.format()
                  + "', which this state backend does not read. Take a savepoint, whose format all"
                  + " backends read, and start with that.");
        }
        read(new PieceReader(systems, task, piece.handle()), codec, visitor);
      }
    } finally {
      codecs.returnCodec(codec);
    }
  }

  private void read(PieceReader reader, RecordBatchCodec codec, KeyedStateVisitor visitor) {
    KeyedPiece.Footer footer = reader.footer(PieceFormat.KEYED, KeyedPiece.Footer::read);
    footer.schemas().check(codec.classes(), reader.name());
    visitor.piece(footer.watermark());
    KeyGroupRange wanted = operator.groups();
    List<KeyedPiece.Group> groups =
        footer.index().stream().filter(group -> wanted.contains(group.group())).toList();
    if (groups.isEmpty()) {
      return;
    }
    // Groups are adjacent and in order, so that one read gets all groups of the subtask.
    int[] groupOfBatch =
        groups.stream()
            .flatMapToInt(group -> IntStream.generate(group::group).limit(group.batches()))
            .toArray();
    long[] entries = {0};
    reader.batches(
        groups.get(0).offset(),
        groupOfBatch.length,
        (number, batch) ->
            entries[0] += read(reader, footer, groupOfBatch[number], batch, codec, visitor));
    long announced = groups.stream().mapToLong(KeyedPiece.Group::entries).sum();
    if (entries[0] != announced) {
      throw reader.damaged(
          "its index has " + announced + " entries, and " + entries[0] + " were found");
    }
  }

  private int read(
      PieceReader reader,
      KeyedPiece.Footer footer,
      int group,
      ByteArrayInput batch,
      RecordBatchCodec codec,
      KeyedStateVisitor visitor) {
    int index = batch.readVarInt();
    int count = batch.readVarInt();
    if (index < 0 || index >= footer.states().size()) {
      throw reader.damaged("a batch has the unknown state " + index);
    }
    StateInfo state = footer.states().get(index);
    if (!visitor.wants(state)) {
      return count;
    }
    Object[] keys = decode(codec, batch);
    long[] windows = new long[state.namespaced() ? 2 * count : 0];
    long before = 0;
    for (int i = 0; i < windows.length; i += 2) {
      windows[i] = before + batch.readVarLong();
      windows[i + 1] = windows[i] + batch.readVarLong();
      before = windows[i];
    }
    long[] times = new long[state.timed() ? count : 0];
    for (int i = 0; i < times.length; i++) {
      times[i] = before + batch.readVarLong();
      before = times[i];
    }
    Object[] values = decode(codec, batch);
    if (keys.length != count || values.length != count) {
      throw reader.damaged(
          "a batch of %d entries has %d keys and %d values"
              .formatted(count, keys.length, values.length));
    }
    for (int i = 0; i < count; i++) {
      int now = KeyGroups.groupOf(keys[i], maxParallelism);
      if (now != group) {
        throw new MillraceException(
            ErrorKind.USER,
            "a key of "
                + keys[i].getClass().getName()
                + " is in key group "
                + group
                + " and belongs to "
                + now
                + ". Its class must not change while there is state of it");
      }
      try {
        boolean has = state.namespaced();
        long start = has ? windows[2 * i] : state.timed() ? times[i] : 0;
        visitor.entry(state, keys[i], start, has ? windows[2 * i + 1] : 0, values[i]);
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new MillraceException(ErrorKind.USER, e.getMessage(), e);
      }
    }
    return count;
  }

  private static Object[] decode(RecordBatchCodec codec, ByteArrayInput in) {
    int length = in.readVarInt();
    int from = in.take(length);
    return codec.decode(in.array(), from, from + length).records();
  }

  /** The operator states of the subtask. */
  List<RestoredElements> lists() {
    RecordBatchCodec codec = codecs.borrowCodec();
    try {
      List<RestoredElements> all = new ArrayList<>();
      for (TaskRestore.RestoredList list : operator.lists()) {
        List<Object> elements = new ArrayList<>();
        for (TaskRestore.Slice slice : list.slices()) {
          read(slice, codec, elements);
        }
        all.add(new RestoredElements(list.name(), list.redistribution(), elements));
      }
      return all;
    } finally {
      codecs.returnCodec(codec);
    }
  }

  /** The elements of an operator state for one subtask. */
  record RestoredElements(
      String name, OperatorSnapshot.Redistribution redistribution, List<Object> elements) {}

  private void read(TaskRestore.Slice slice, RecordBatchCodec codec, List<Object> to) {
    PieceReader reader = new PieceReader(systems, task, slice.handle());
    ListPiece.Footer footer = reader.footer(PieceFormat.LIST, ListPiece.Footer::read);
    footer.schemas().check(codec.classes(), reader.name());
    if (slice.to() > footer.elements()) {
      throw reader.damaged(
          "it has " + footer.elements() + " elements, and " + slice.to() + " are expected");
    }
    List<Object> all = new ArrayList<>();
    reader.batches(
        PieceFormat.HEADER_BYTES,
        footer.batches(),
        (number, batch) -> {
          int length = batch.remaining();
          int from = batch.take(length);
          all.addAll(Arrays.asList(codec.decode(batch.array(), from, from + length).records()));
        });
    if (all.size() != footer.elements()) {
      throw reader.damaged(
          "its footer has " + footer.elements() + " elements, and " + all.size() + " were found");
    }
    to.addAll(all.subList(slice.from(), slice.to()));
  }
}
