package io.millrace.dataplane.snapshot;

import io.millrace.dataplane.records.ByteArrayInput;
import io.millrace.dataplane.records.ByteArrayOutput;
import io.millrace.dataplane.records.RecordBatchCodec;
import io.millrace.dataplane.state.FrozenKeys;
import io.millrace.dataplane.state.KeyGroupWatermarks;
import io.millrace.dataplane.state.StateInfo;
import io.millrace.dataplane.state.StateKind;
import io.millrace.dataplane.state.StatePart;
import io.millrace.dataplane.state.StoredPart;
import io.millrace.dataplane.state.TablePart;
import io.millrace.graph.KeyGroups;
import io.millrace.task.checkpoint.KeyGroupRange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Writes keyed states and timers of an operator as one piece. Belongs to one I/O thread. */
final class KeyedPiece {
  /** Flags of a state. */
  private static final int NAMESPACED = 1;

  private static final int TIMED = 2;

  /** Where the entries of a key group are: entries of one group are adjacent. */
  record Group(int group, long offset, int batches, long entries) {}

  private final KeyGroupRange range;
  private final int maxParallelism;
  private final RecordBatchCodec codec;
  private final Runnable checkCancelled;
  private final PieceWriter out;
  private final Set<String> keyClasses = new LinkedHashSet<>();
  private final ByteArrayOutput batch = new ByteArrayOutput();
  private final ByteArrayOutput part = new ByteArrayOutput();
  private final Object[] keys = new Object[PieceFormat.MAX_ENTRIES];
  private final Object[] values = new Object[PieceFormat.MAX_ENTRIES];
  private final long[] starts = new long[PieceFormat.MAX_ENTRIES];
  private final long[] ends = new long[PieceFormat.MAX_ENTRIES];
  private int count;
  private long elements;
  private int batches;
  private long entries;

  private KeyedPiece(
      KeyGroupRange range,
      int maxParallelism,
      RecordBatchCodec codec,
      Runnable checkCancelled,
      PieceOutput out)
      throws IOException {
    this.range = range;
    this.maxParallelism = maxParallelism;
    this.codec = codec;
    this.checkCancelled = checkCancelled;
    this.out = new PieceWriter(out, PieceFormat.KEYED);
  }

  /**
   * @param watermarks the event time that the operator has reached
   * @param checkCancelled throws if the snapshot is not needed any more
   */
  static void write(
      List<StatePart> parts,
      KeyGroupWatermarks watermarks,
      KeyGroupRange range,
      int maxParallelism,
      RecordBatchCodec codec,
      Runnable checkCancelled,
      PieceOutput out)
      throws IOException {
    new KeyedPiece(range, maxParallelism, codec, checkCancelled, out).write(parts, watermarks);
  }

  /** The slots of a table by key group. */
  private final class GroupedSlots {
    final int[] slots;

    /** By group of the range, the first of its slots; one more for the end. */
    final int[] first = new int[range.size() + 1];

    GroupedSlots(FrozenKeys frozen) {
      int[] groups = new int[frozen.end()];
      int used = 0;
      for (int slot = frozen.next(0); slot >= 0; slot = frozen.next(slot + 1)) {
        int group = KeyGroups.groupOf(frozen.key(slot), maxParallelism) - range.first();
        if (group < 0 || group >= range.size()) {
          throw new IllegalStateException(
              "key group "
                  + (group + range.first())
                  + " is not one of the subtask's groups "
                  + range);
        }
        groups[slot] = group;
        first[group + 1]++;
        used++;
      }
      for (int group = 0; group < range.size(); group++) {
        first[group + 1] += first[group];
      }
      slots = new int[used];
      int[] next = first.clone();
      for (int slot = frozen.next(0); slot >= 0; slot = frozen.next(slot + 1)) {
        slots[next[groups[slot]]++] = slot;
      }
    }
  }

  private void write(List<StatePart> parts, KeyGroupWatermarks watermarks) throws IOException {
    // There may be many parts: they are looked through once, not once for each key group.
    Map<StateInfo, List<StatePart>> ofStates = new LinkedHashMap<>();
    Map<FrozenKeys, GroupedSlots> grouped = new HashMap<>();
    for (StatePart each : parts) {
      checkCancelled.run();
      ofStates.computeIfAbsent(each.info(), any -> new ArrayList<>()).add(each);
      if (each instanceof TablePart table && !grouped.containsKey(table.keys())) {
        grouped.put(table.keys(), new GroupedSlots(table.keys()));
      }
    }
    List<StateInfo> states = List.copyOf(ofStates.keySet());
    List<Group> index = new ArrayList<>();
    for (int group = 0; group < range.size(); group++) {
      long offset = out.offset();
      batches = 0;
      entries = 0;
      for (int state = 0; state < states.size(); state++) {
        for (StatePart each : ofStates.get(states.get(state))) {
          if (each instanceof TablePart table) {
            write(state, table, grouped.get(table.keys()), group);
          } else if (each instanceof StoredPart stored) {
            int position = state;
            stored.entries(
                group + range.first(),
                codec,
                (key, start, end, value) -> add(position, each.info(), key, start, end, value));
          } else {
            throw new IllegalStateException("Unknown part " + each);
          }
        }
        flush(state, states.get(state));
      }
      if (batches > 0) {
        index.add(new Group(group + range.first(), offset, batches, entries));
      }
    }
    writeFooter(states, watermarks, index);
  }

  private void add(int state, StateInfo info, Object key, long start, long end, Object value)
      throws IOException {
    if (count == PieceFormat.MAX_ENTRIES || elements > PieceFormat.MAX_ELEMENTS) {
      flush(state, info);
    }
    elements += elementsIn(value);
    keys[count] = key;
    values[count] = value;
    starts[count] = start;
    ends[count] = end;
    count++;
    keyClasses.add(key.getClass().getName());
  }

  private void write(int state, TablePart from, GroupedSlots grouped, int group)
      throws IOException {
    for (int i = grouped.first[group]; i < grouped.first[group + 1]; i++) {
      int slot = grouped.slots[i];
      Object key = from.keys().key(slot);
      List<Long> windows = new ArrayList<>(0);
      List<Object> found = new ArrayList<>(1);
      from.entries(
          slot,
          (start, end, value) -> {
            found.add(value);
            if (from.info().namespaced() || from.info().timed()) {
              windows.add(start);
              windows.add(end);
            }
          });
      for (int j = 0; j < found.size(); j++) {
        if (count == PieceFormat.MAX_ENTRIES || elements > PieceFormat.MAX_ELEMENTS) {
          flush(state, from.info());
        }
        elements += elementsIn(found.get(j));
        keys[count] = key;
        values[count] = found.get(j);
        if (from.info().namespaced() || from.info().timed()) {
          starts[count] = windows.get(2 * j);
          ends[count] = windows.get(2 * j + 1);
        }
        count++;
      }
      if (!found.isEmpty()) {
        keyClasses.add(key.getClass().getName());
      }
    }
  }

  private static int elementsIn(Object value) {
    return value instanceof Collection<?> list
        ? list.size()
        : value instanceof Map<?, ?> map ? map.size() : 1;
  }

  private void flush(int state, StateInfo info) throws IOException {
    if (count == 0) {
      return;
    }
    checkCancelled.run();
    batch.clear();
    batch.putVarInt(state);
    batch.putVarInt(count);
    encode(keys);
    if (info.namespaced()) {
      long before = 0;
      for (int i = 0; i < count; i++) {
        batch.putVarLong(starts[i] - before);
        batch.putVarLong(ends[i] - starts[i]);
        before = starts[i];
      }
    } else if (info.timed()) {
      long before = 0;
      for (int i = 0; i < count; i++) {
        batch.putVarLong(starts[i] - before);
        before = starts[i];
      }
    }
    encode(values);
    out.batch(batch);
    batches++;
    entries += count;
    Arrays.fill(keys, 0, count, null);
    Arrays.fill(values, 0, count, null);
    count = 0;
    elements = 0;
  }

  private void encode(Object[] objects) {
    part.clear();
    codec.encode(objects, 0, count, part);
    batch.putVarInt(part.size());
    batch.putBytes(part.array(), 0, part.size());
  }

  private void writeFooter(List<StateInfo> states, KeyGroupWatermarks watermarks, List<Group> index)
      throws IOException {
    ByteArrayOutput footer = new ByteArrayOutput();
    footer.putVarInt(range.first());
    footer.putVarInt(range.end());
    WatermarkSection.write(watermarks, range, footer);
    footer.putVarInt(states.size());
    for (StateInfo state : states) {
      PieceText.write(state.name(), footer);
      PieceText.write(state.kind().name(), footer);
      footer.putByte((state.namespaced() ? NAMESPACED : 0) | (state.timed() ? TIMED : 0));
    }
    SchemaSection.of(keyClasses, codec).write(footer);
    footer.putVarInt(index.size());
    for (Group group : index) {
      footer.putVarInt(group.group());
      footer.putVarLong(group.offset());
      footer.putVarInt(group.batches());
      footer.putVarLong(group.entries());
    }
    out.footer(footer);
  }

  /**
   * The footer of a piece.
   *
   * @param index in order of groups and offsets
   */
  record Footer(
      KeyGroupRange range,
      KeyGroupWatermarks watermarks,
      List<StateInfo> states,
      SchemaSection schemas,
      List<Group> index) {
    static Footer read(int version, ByteArrayInput in) {
      KeyGroupRange range = new KeyGroupRange(in.readVarInt(), in.readVarInt());
      KeyGroupWatermarks watermarks = WatermarkSection.read(version, range, in);
      List<StateInfo> states = new ArrayList<>();
      for (int left = PieceText.count(in); left > 0; left--) {
        String name = PieceText.read(in);
        StateKind kind = StateKind.valueOf(PieceText.read(in));
        int flags = in.readByte();
        states.add(new StateInfo(name, kind, (flags & NAMESPACED) != 0, (flags & TIMED) != 0));
      }
      SchemaSection schemas = SchemaSection.read(in);
      List<Group> index = new ArrayList<>();
      for (int left = PieceText.count(in); left > 0; left--) {
        index.add(new Group(in.readVarInt(), in.readVarLong(), in.readVarInt(), in.readVarLong()));
      }
      return new Footer(range, watermarks, states, schemas, index);
    }
  }
}
