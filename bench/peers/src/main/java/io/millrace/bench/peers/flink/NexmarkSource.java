package io.millrace.bench.peers.flink;

import io.millrace.bench.load.RecordMeter;
import io.millrace.bench.load.nexmark.NexmarkEvent;
import io.millrace.bench.load.nexmark.NexmarkGenerator;
import io.millrace.bench.load.nexmark.NexmarkReplay;
import io.millrace.bench.load.nexmark.NexmarkSettings;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
 * The generator as a source: one split per reader. One poll emits a batch of records, which is the
 * cheapest way through Flink's source operator. With object reuse the reader fills the same objects
 * again and again; operators behind an exchange get new ones.
 */
final class NexmarkSource
    implements Source<NexmarkEvent, NexmarkSource.Share, Void>, ResultTypeQueryable<NexmarkEvent> {
  private static final int BATCH = Integer.getInteger("batch", 256);

  record Share(int instance, int instances, long position) implements SourceSplit {
    @Override
    public String splitId() {
      return Integer.toString(instance);
    }
  }

  private final NexmarkSettings settings;
  private final boolean timed;
  private final boolean replayed;

  /**
   * @param timed whether records have timestamps; an unbounded stream without them consists of its
   *     first events, again and again
   */
  NexmarkSource(NexmarkSettings settings, boolean timed) {
    this.settings = settings;
    this.timed = timed;
    this.replayed = !timed && !settings.isBounded() && !Boolean.getBoolean("nexmark.generated");
  }

  @Override
  public TypeInformation<NexmarkEvent> getProducedType() {
    return TypeInformation.of(NexmarkEvent.class);
  }

  @Override
  public Boundedness getBoundedness() {
    return Boundedness.CONTINUOUS_UNBOUNDED;
  }

  @Override
  public SourceReader<NexmarkEvent, Share> createReader(SourceReaderContext context) {
    return new Reader();
  }

  @Override
  public SplitEnumerator<Share, Void> createEnumerator(SplitEnumeratorContext<Share> context) {
    return new Enumerator(context);
  }

  @Override
  public SplitEnumerator<Share, Void> restoreEnumerator(
      SplitEnumeratorContext<Share> context, Void state) {
    return new Enumerator(context);
  }

  @Override
  public SimpleVersionedSerializer<Share> getSplitSerializer() {
    return new ShareSerializer();
  }

  @Override
  public SimpleVersionedSerializer<Void> getEnumeratorCheckpointSerializer() {
    return new NothingSerializer();
  }

  private final class Reader implements SourceReader<NexmarkEvent, Share> {
    private final CompletableFuture<Void> assigned = new CompletableFuture<>();
    private final NexmarkGenerator.Reused objects = new NexmarkGenerator.Reused();
    private Share share;
    private NexmarkGenerator generator;
    private NexmarkReplay replay;

    @Override
    public void start() {}

    @Override
    public InputStatus pollNext(ReaderOutput<NexmarkEvent> output) {
      if (generator == null) {
        return InputStatus.NOTHING_AVAILABLE;
      }
      if (replayed) {
        for (int i = 0; i < BATCH; i++) {
          output.collect(replay.next());
        }
        RecordMeter.in(share.instance(), replay.position());
        return RecordMeter.stop ? InputStatus.END_OF_INPUT : InputStatus.MORE_AVAILABLE;
      }
      for (int i = 0; i < BATCH; i++) {
        if (!generator.hasNext()) {
          return InputStatus.END_OF_INPUT;
        }
        NexmarkEvent event = generator.next(objects);
        if (timed) {
          output.collect(event, event.dateTime);
        } else {
          output.collect(event);
        }
      }
      RecordMeter.in(share.instance(), generator.position());
      return RecordMeter.stop ? InputStatus.END_OF_INPUT : InputStatus.MORE_AVAILABLE;
    }

    @Override
    public List<Share> snapshotState(long checkpointId) {
      return generator == null
          ? List.of()
          : List.of(new Share(share.instance(), share.instances(), generator.position()));
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
      return assigned;
    }

    @Override
    public void addSplits(List<Share> splits) {
      share = splits.get(0);
      generator = new NexmarkGenerator(settings, share.instance(), share.instances());
      generator.seek(share.position());
      if (replayed) {
        replay = new NexmarkReplay(settings, share.instance(), share.instances());
      }
      assigned.complete(null);
    }

    @Override
    public void notifyNoMoreSplits() {}

    @Override
    public void close() {}
  }

  private static final class Enumerator implements SplitEnumerator<Share, Void> {
    private final SplitEnumeratorContext<Share> context;

    Enumerator(SplitEnumeratorContext<Share> context) {
      this.context = context;
    }

    @Override
    public void start() {}

    @Override
    public void handleSplitRequest(int subtask, String host) {}

    @Override
    public void addSplitsBack(List<Share> splits, int subtask) {
      splits.forEach(split -> context.assignSplit(split, subtask));
    }

    @Override
    public void addReader(int subtask) {
      context.assignSplit(new Share(subtask, context.currentParallelism(), 0), subtask);
      context.signalNoMoreSplits(subtask);
    }

    @Override
    public Void snapshotState(long checkpointId) {
      return null;
    }

    @Override
    public void close() {}
  }

  private static final class ShareSerializer implements SimpleVersionedSerializer<Share> {
    @Override
    public int getVersion() {
      return 1;
    }

    @Override
    public byte[] serialize(Share share) {
      return ByteBuffer.allocate(16)
          .putInt(share.instance())
          .putInt(share.instances())
          .putLong(share.position())
          .array();
    }

    @Override
    public Share deserialize(int version, byte[] serialized) {
      ByteBuffer bytes = ByteBuffer.wrap(serialized);
      return new Share(bytes.getInt(), bytes.getInt(), bytes.getLong());
    }
  }

  private static final class NothingSerializer implements SimpleVersionedSerializer<Void> {
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
