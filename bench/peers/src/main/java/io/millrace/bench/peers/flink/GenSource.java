package io.millrace.bench.peers.flink;

import io.millrace.bench.load.CheckpointTimes;
import io.millrace.bench.load.Gen;
import io.millrace.bench.load.RecordMeter;
import io.millrace.bench.load.Probe;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToLongFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * Minimal Source-API source: one split per reader, position kept in the split. One poll emits a
 * batch of records, which is the cheapest way through Flink's source operator. With a batch of 0
 * the source never emits and just waits.
 */
final class GenSource<T> implements Source<T, GenSource.Split, Void>, ResultTypeQueryable<T> {

  /** Makes the record the generator stands at; returns null when there is nothing to emit yet. */
  interface Maker<T> extends Serializable {
    T make(Gen gen);
  }

  interface Timestamp<T> extends ToLongFunction<T>, Serializable {}

  record Split(int instance, long[] generator) implements SourceSplit {
    @Override
    public String splitId() {
      return Integer.toString(instance);
    }
  }

  private final long keys;
  private final int batch;
  private final TypeInformation<T> type;
  private final Maker<T> maker;
  private final Timestamp<T> timestamp;
  private final Probe probe;

  /**
   * @param timestamp event time of a record, or null for records without one.
   */
  GenSource(long keys, int batch, TypeInformation<T> type, Maker<T> maker, Timestamp<T> timestamp) {
    this(keys, batch, type, maker, timestamp, Probe.NONE);
  }

  GenSource(
      long keys,
      int batch,
      TypeInformation<T> type,
      Maker<T> maker,
      Timestamp<T> timestamp,
      Probe probe) {
    this.probe = probe;
    this.keys = keys;
    this.batch = batch;
    this.type = type;
    this.maker = maker;
    this.timestamp = timestamp;
  }

  @Override
  public TypeInformation<T> getProducedType() {
    return type;
  }

  @Override
  public Boundedness getBoundedness() {
    return Boundedness.CONTINUOUS_UNBOUNDED;
  }

  @Override
  public SourceReader<T, Split> createReader(SourceReaderContext context) {
    return new Reader();
  }

  @Override
  public SplitEnumerator<Split, Void> createEnumerator(SplitEnumeratorContext<Split> context) {
    return new Enumerator(context, batch == 0);
  }

  @Override
  public SplitEnumerator<Split, Void> restoreEnumerator(
      SplitEnumeratorContext<Split> context, Void state) {
    return new Enumerator(context, batch == 0);
  }

  @Override
  public SimpleVersionedSerializer<Split> getSplitSerializer() {
    return new SplitSerializer();
  }

  @Override
  public SimpleVersionedSerializer<Void> getEnumeratorCheckpointSerializer() {
    return new VoidSerializer();
  }

  private final class Reader implements SourceReader<T, Split> {
    private final CompletableFuture<Void> assigned = new CompletableFuture<>();
    private Split split;
    private Gen gen;

    @Override
    public void start() {
      if (batch == 0) {
        Scale.opened();
      }
    }

    @Override
    public InputStatus pollNext(ReaderOutput<T> output) {
      if (gen == null) {
        return InputStatus.NOTHING_AVAILABLE;
      }
      for (int i = 0; i < batch; i++) {
        T made = maker.make(gen);
        if (made == null) {
          break;
        }
        if (timestamp == null) {
          output.collect(made);
        } else {
          output.collect(made, timestamp.applyAsLong(made));
        }
      }
      RecordMeter.in(split.instance(), gen.position());
      return RecordMeter.stop ? InputStatus.END_OF_INPUT : InputStatus.MORE_AVAILABLE;
    }

    @Override
    public List<Split> snapshotState(long checkpointId) {
      CheckpointTimes.began(checkpointId);
      return gen == null ? List.of() : List.of(new Split(split.instance(), gen.save()));
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) {
      CheckpointTimes.completed(checkpointId);
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
      return assigned;
    }

    @Override
    public void addSplits(List<Split> splits) {
      split = splits.get(0);
      gen = new Gen(split.instance(), keys);
      if (split.generator().length > 0) {
        gen.restore(split.generator());
      }
      probe.begin();
      assigned.complete(null);
    }

    @Override
    public void notifyNoMoreSplits() {}

    @Override
    public void close() {
      if (gen != null) {
        probe.sent(split.instance(), gen.position());
      }
    }
  }

  private static final class Enumerator implements SplitEnumerator<Split, Void> {
    private final SplitEnumeratorContext<Split> context;
    private final boolean idle;

    Enumerator(SplitEnumeratorContext<Split> context, boolean idle) {
      this.context = context;
      this.idle = idle;
    }

    @Override
    public void start() {}

    @Override
    public void handleSplitRequest(int subtask, String host) {}

    @Override
    public void addSplitsBack(List<Split> splits, int subtask) {
      splits.forEach(s -> context.assignSplit(s, subtask));
    }

    @Override
    public void addReader(int subtask) {
      if (idle) {
        return;
      }
      context.assignSplit(new Split(subtask, new long[0]), subtask);
      context.signalNoMoreSplits(subtask);
    }

    @Override
    public Void snapshotState(long checkpointId) {
      return null;
    }

    @Override
    public void close() {}
  }

  private static final class SplitSerializer implements SimpleVersionedSerializer<Split> {
    @Override
    public int getVersion() {
      return 1;
    }

    @Override
    public byte[] serialize(Split split) {
      ByteBuffer bytes =
          ByteBuffer.allocate(4 + 8 * split.generator().length).putInt(split.instance());
      for (long word : split.generator()) {
        bytes.putLong(word);
      }
      return bytes.array();
    }

    @Override
    public Split deserialize(int version, byte[] serialized) {
      ByteBuffer bytes = ByteBuffer.wrap(serialized);
      int instance = bytes.getInt();
      long[] generator = new long[bytes.remaining() / 8];
      for (int i = 0; i < generator.length; i++) {
        generator[i] = bytes.getLong();
      }
      return new Split(instance, generator);
    }
  }

  private static final class VoidSerializer implements SimpleVersionedSerializer<Void> {
    @Override
    public int getVersion() {
      return 1;
    }

    @Override
    public byte[] serialize(Void nothing) {
      return new byte[0];
    }

    @Override
    public Void deserialize(int version, byte[] serialized) {
      return null;
    }
  }
}
