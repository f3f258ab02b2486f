package io.millrace.dataplane.store;

import io.millrace.core.config.Configuration;
import io.millrace.core.memory.ManagedMemory;
import io.millrace.dataplane.records.CodecPool;
import io.millrace.dataplane.records.RecordBatchCodec;
import io.millrace.dataplane.records.ValueCopier;
import io.millrace.dataplane.state.FrozenKeys;
import io.millrace.dataplane.state.HeapKeyedStateBackend;
import io.millrace.dataplane.state.KeyedStateBackend;
import io.millrace.dataplane.state.StateInfo;
import io.millrace.dataplane.state.StatePart;
import io.millrace.dataplane.state.StoredPart;
import io.millrace.dataplane.state.TablePart;
import io.millrace.task.checkpoint.KeyGroupRange;
import io.millrace.task.store.KeyValueStore;
import io.millrace.task.store.StateBackend;
import io.millrace.task.store.StateBackends;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** Makes keyed states of all backends, and reads their snapshots. */
final class TestStates implements AutoCloseable {
  /** Where states are. */
  enum Kind {
    HEAP,
    /** In a {@link SortedMapStore}. */
    SORTED_MAP,
    ROCKSDB
  }

  /** An entry of a snapshot. */
  record Entry(StateInfo info, Object key, long start, long end, Object value) {}

  /** For what any codec can do; to make one takes long. */
  private static final CodecPool CODECS = new CodecPool(TestStates::codec);

  private final int maxParallelism;
  private final LongSupplier clock;
  private final Path directory;
  private final ManagedMemory memory = ManagedMemory.share(256 << 20, 1);
  private final List<StoredState> stored = new ArrayList<>();
  private final List<SortedMapStore> stores = new ArrayList<>();

  /**
   * @param directory of files of stores
   */
  TestStates(int maxParallelism, LongSupplier clock, Path directory) {
    this.maxParallelism = maxParallelism;
    this.clock = clock;
    this.directory = directory;
  }

  static RecordBatchCodec codec() {
    return new RecordBatchCodec(TestStates.class.getClassLoader(), Runnable::run, Map.of(), true);
  }

  KeyedStateBackend create(Kind kind, KeyGroupRange groups, String prefix) {
    return kind == Kind.HEAP
        ? new HeapKeyedStateBackend(new ValueCopier(CODECS), clock, prefix)
        : new StoredKeyedStateBackend(store(kind, groups), prefix);
  }

  StoredState store(Kind kind, KeyGroupRange groups) {
    StoredState state =
        new StoredState(
            opener(kind), new StoredState.Owner(groups, maxParallelism, codec(), clock));
    stored.add(state);
    return state;
  }

  /** The stores in maps that were opened, in order. */
  List<SortedMapStore> stores() {
    return stores;
  }

  private StoredState.Opener opener(Kind kind) {
    return new StoredState.Opener() {
      @Override
      public String backend() {
        return kind.name();
      }

      @Override
      public Path directory() {
        try {
          return Files.createTempDirectory(directory, "store-");
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }

      @Override
      public KeyValueStore open(Path files) {
        if (kind == Kind.SORTED_MAP) {
          stores.add(SortedMapStore.open(files));
          return stores.get(stores.size() - 1);
        }
        StateBackend.StoreSettings settings =
            new StateBackend.StoreSettings(
                files, memory, "'Map' (1/1, attempt 0)", Configuration.EMPTY, () -> {});
        try {
          return StateBackends.withoutPlugins().find("rocksdb").orElseThrow().open(settings);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    };
  }

  /** All entries of a snapshot, group by group for those of a store. */
  List<Entry> read(List<StatePart> parts, KeyGroupRange groups) {
    List<Entry> entries = new ArrayList<>();
    RecordBatchCodec codec = CODECS.borrowCodec();
    for (StatePart part : parts) {
      if (part instanceof TablePart table) {
        FrozenKeys keys = table.keys();
        for (int slot = keys.next(0); slot >= 0; slot = keys.next(slot + 1)) {
          Object key = keys.key(slot);
          table.entries(
              slot,
              (start, end, value) -> entries.add(new Entry(part.info(), key, start, end, value)));
        }
      } else if (part instanceof StoredPart storedPart) {
        for (int group = groups.first(); group < groups.end(); group++) {
          try {
            storedPart.entries(
                group,
                codec,
                (key, start, end, value) ->
                    entries.add(new Entry(part.info(), key, start, end, value)));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      } else {
        throw new AssertionError("Unknown part " + part);
      }
    }
    CODECS.returnCodec(codec);
    return entries;
  }

  @Override
  public void close() {
    stored.forEach(StoredState::close);
  }
}
