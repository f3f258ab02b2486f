package io.millrace.dataplane.snapshot;

import io.millrace.core.config.StateBackendOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.records.ByteArrayInput;
import io.millrace.dataplane.records.CodecPool;
import io.millrace.dataplane.records.RecordBatchCodec;
import io.millrace.dataplane.state.KeyGroupWatermarks;
import io.millrace.graph.KeyGroups;
import io.millrace.task.checkpoint.KeyGroupRange;
import io.millrace.task.checkpoint.OperatorSnapshot;
import io.millrace.task.checkpoint.StateHandle;
import io.millrace.task.checkpoint.TaskRestore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * The state of a checkpoint with which an operator of a subtask starts. It reads only the key
 * groups of the subtask. Reading blocks.
 */
public final class RestoredState {
  private final StateFileSource source;
  private final TaskRestore task;
  private final TaskRestore.OperatorRestore operator;
  private final int maxParallelism;
  private final CodecPool codecs;

  /** The watermarks of pieces that a backend reads itself. */
  private final Map<OperatorSnapshot.Keyed, KeyGroupWatermarks> watermarks = new LinkedHashMap<>();

  public RestoredState(
      StateFileSource source,
      TaskRestore task,
      TaskRestore.OperatorRestore operator,
      int maxParallelism,
      CodecPool codecs) {
    this.source = source;
    this.task = task;
    this.operator = operator;
    this.maxParallelism = maxParallelism;
    this.codecs = codecs;
  }

  /**
   * A piece that is files of a backend.
   *
   * @param sharedFiles its shared files by their local names
   */
  public record RestoredFiles(
      KeyGroupRange groups,
      NativeState state,
      String sharedDirectory,
      Map<String, StateHandle.FileSegment> sharedFiles,
      Consumer<Path> download) {}

  /** The key groups of the subtask. */
  public KeyGroupRange groups() {
    return operator.groups();
  }

  /** The pieces that are files of a backend, which reads them itself. */
  public List<RestoredFiles> files(String format) {
    List<RestoredFiles> found = new ArrayList<>();
    RecordBatchCodec codec = codecs.borrowCodec();
    try {
      for (OperatorSnapshot.Keyed piece : operator.keyed()) {
        if (piece.format().equals(format)) {
          PieceReader reader = new PieceReader(source, task, piece.handle());
          NativePiece.Footer footer =
              reader.footer(
                  PieceFormat.NATIVE,
                  (version, in) -> NativePiece.Footer.read(format, version, in));
          footer.schemas().check(codec.classes(), reader.name());
          watermarks.put(piece, footer.watermarks());
          Map<String, StateHandle.FileSegment> byName = new LinkedHashMap<>();
          piece.files().forEach(file -> byName.put(file.file(), file));
          Map<String, StateHandle.FileSegment> shared = new LinkedHashMap<>();
          footer
              .shared()
              .forEach(
                  (local, name) -> {
                    StateHandle.FileSegment file = byName.get(name);
                    if (file != null && file.directory() == StateHandle.Directory.SHARED) {
                      shared.put(local, file);
                    }
                  });
          found.add(
              new RestoredFiles(
                  footer.groups(),
                  footer.state(),
                  task.sharedDirectory(),
                  shared,
                  directory ->
                      NativePiece.download(source, task, piece, reader, footer, directory)));
        }
      }
    } finally {
      codecs.returnCodec(codec);
    }
    return found;
  }

  /**
   * Passes all entries of the subtask's key groups to a visitor.
   *
   * @return the event time that the operator had reached; {@link Long#MIN_VALUE} for groups of
   *     which there is no state
   */
  public KeyGroupWatermarks forEachKeyed(KeyedStateVisitor visitor) {
    KeyGroupRange own = operator.groups();
    long[] reached = new long[own.size()];
    Arrays.fill(reached, Long.MIN_VALUE);
    RecordBatchCodec codec = codecs.borrowCodec();
    try {
      for (OperatorSnapshot.Keyed piece : operator.keyed()) {
        KeyGroupWatermarks former = watermarks.get(piece);
        if (former != null) {
          // The backend has the entries already.
          add(piece.groups(), former, reached);
          continue;
        }
        if (!piece.format().equals(OperatorSnapshot.Keyed.CANONICAL)) {
          throw new MillraceException(
              ErrorKind.USER,
              "Checkpoint "
                  + task.checkpoint()
                  + " has keyed state in the format of the state backend '"
                  + piece.format()
                  + "', which the backend of this job does not read. Set "
                  + StateBackendOptions.TYPE.key()
                  + " to "
                  + piece.format()
                  + ", or start with a canonical savepoint, which all backends read.");
        }
        former = read(new PieceReader(source, task, piece.handle()), codec, visitor);
        add(piece.groups(), former, reached);
      }
    } finally {
      codecs.returnCodec(codec);
    }
    return KeyGroupWatermarks.of(own, group -> reached[group - own.first()]);
  }

  private void add(KeyGroupRange piece, KeyGroupWatermarks former, long[] reached) {
    KeyGroupRange own = operator.groups();
    for (int group = own.first(); group < own.end(); group++) {
      if (piece.contains(group)) {
        reached[group - own.first()] = former.of(group);
      }
    }
  }

  /** The number of the checkpoint. */
  public long checkpoint() {
    return task.checkpoint();
  }

  /** The names of the keyed states of which the subtask has entries. */
  public List<String> keyedStates() {
    Set<String> names = new LinkedHashSet<>();
    for (OperatorSnapshot.Keyed piece : operator.keyed()) {
      if (!piece.format().equals(OperatorSnapshot.Keyed.CANONICAL)) {
        new PieceReader(source, task, piece.handle())
                .footer(
                    PieceFormat.NATIVE,
                    (version, in) -> NativePiece.Footer.read(piece.format(), version, in))
                .state()
                .tables()
                .stream()
                .filter(table -> !table.internal())
                .forEach(table -> names.add(table.state().name()));
        continue;
      }
      KeyedPiece.Footer footer =
          new PieceReader(source, task, piece.handle())
              .footer(PieceFormat.KEYED, KeyedPiece.Footer::read);
      if (footer.index().stream().anyMatch(group -> operator.groups().contains(group.group()))) {
        footer.states().forEach(state -> names.add(state.name()));
      }
    }
    return List.copyOf(names);
  }

  private KeyGroupWatermarks read(
      PieceReader reader, RecordBatchCodec codec, KeyedStateVisitor visitor) {
    KeyedPiece.Footer footer = reader.footer(PieceFormat.KEYED, KeyedPiece.Footer::read);
    footer.schemas().check(codec.classes(), reader.name());
    KeyGroupRange wanted = operator.groups();
    List<KeyedPiece.Group> groups =
        footer.index().stream().filter(group -> wanted.contains(group.group())).toList();
    if (groups.isEmpty()) {
      return footer.watermarks();
    }
    groups.forEach(group -> reader.checkBatches(group.offset(), group.batches()));
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
    return footer.watermarks();
  }

  private int read(
      PieceReader reader,
      KeyedPiece.Footer footer,
      int group,
      ByteArrayInput batch,
      RecordBatchCodec codec,
      KeyedStateVisitor visitor) {
    KeyedBatch read = KeyedBatch.read(reader, footer, batch, codec, visitor::wants);
    if (!read.isDecoded()) {
      return read.count();
    }
    visitor.group(footer.watermarks().of(group));
    Object[] keys = read.keys();
    int count = read.count();
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
        visitor.entry(read.state(), keys[i], read.start(i), read.end(i), read.values()[i]);
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new MillraceException(ErrorKind.USER, e.getMessage(), e);
      }
    }
    return count;
  }

  /** The operator states of the subtask. */
  public List<RestoredElements> lists() {
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
  public record RestoredElements(
      String name, OperatorSnapshot.Redistribution redistribution, List<Object> elements) {}

  private void read(TaskRestore.Slice slice, RecordBatchCodec codec, List<Object> to) {
    PieceReader reader = new PieceReader(source, task, slice.handle());
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
