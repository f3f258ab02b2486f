package io.millrace.dataplane.operator;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceOutput;
import io.millrace.api.source.SourceReader;
import io.millrace.api.source.SourceSplit;
import io.millrace.api.time.Timestamps;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.JobId;
import io.millrace.dataplane.partition.PartitionChunk;
import io.millrace.dataplane.partition.PartitionWriter;
import io.millrace.dataplane.records.RecordBatchCodec;
import io.millrace.dataplane.services.DeploymentContext;
import io.millrace.task.ClusterPartition;
import io.millrace.task.LostPartitionException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Reads some partitions of a cached data set, one after the other. It fetches each partition in
 * chunks and requests the next chunk while it reads the current one. Belongs to its task's step.
 */
final class CachedPartitionReader implements SourceReader<Object, SourceSplit> {
  /**
   * A partition.
   *
   * @param read the number of its records that were read
   */
  record Position(int partition, long read) implements SourceSplit {
    @Override
    public String splitId() {
      return String.valueOf(partition);
    }
  }

  /** A broken connection does not mean that the partition is lost. */
  private static final int ATTEMPTS = 3;

  private static final Duration RETRY_DELAY = Duration.ofMillis(500);

  /** The index when all partitions are read. */
  private static final int NONE = -1;

  private final DeploymentContext deployment;
  private final TaskClock clock;
  private final OperatorSpec.ReadCached from;
  private final SourceContext context;
  private final Deque<Position> later = new ArrayDeque<>();
  private int partition = NONE;

  /** The bytes of the partition that are fetched and not decoded. */
  private ByteBuffer unread = ByteBuffer.allocate(0);

  private Optional<CompletableFuture<PartitionChunk>> pending = Optional.empty();
  private long offset;
  private boolean fetchedAll;
  private int failures;
  private Object[] batch = new Object[0];
  private long[] timestamps = RecordBatchCodec.NO_TIMESTAMPS;
  private int position;
  private long records;

  /** The number of records of the partition that are not emitted, because a checkpoint has them. */
  private long skip;

  CachedPartitionReader(TaskEnvironment task, OperatorSpec.ReadCached from, SourceContext context) {
    this.deployment = task.deployment();
    this.clock = task.clock();
    this.from = from;
    this.context = context;
  }

  @Override
  public void addSplits(List<SourceSplit> splits) {
    splits.forEach(split -> later.add((Position) split));
    if (partition == NONE) {
      beginPartition();
    }
  }

  @Override
  public List<SourceSplit> snapshot(long checkpoint) {
    List<SourceSplit> unread = new ArrayList<>();
    if (partition != NONE) {
      unread.add(new Position(partition, Math.max(skip, records - (batch.length - position))));
    }
    unread.addAll(later);
    return unread;
  }

  private void beginPartition() {
    partition = later.isEmpty() ? NONE : later.element().partition();
    skip = later.isEmpty() ? 0 : later.remove().read();
    offset = 0;
    records = 0;
    fetchedAll = false;
    failures = 0;
  }

  @Override
  public Status poll(SourceOutput<Object> out, int limit) {
    try {
      return read(out, limit);
    } finally {
      clock.timestamp = Timestamps.NONE;
    }
  }

  private Status read(SourceOutput<Object> out, int limit) {
    int left = limit;
    while (left > 0) {
      if (position < batch.length) {
        int until = (int) Math.min(batch.length, (long) position + left);
        left -= until - position;
        while (position < until) {
          Object record = batch[position];
          clock.timestamp = timestamps.length == 0 ? Timestamps.NONE : timestamps[position];
          batch[position++] = null;
          out.emit(record);
        }
      } else if (partition == NONE) {
        return Status.END;
      } else if (!advance()) {
        return Status.WAIT;
      }
    }
    return Status.MORE;
  }

  /** Decodes the next batch; false if that has to wait for another chunk. */
  private boolean advance() {
    if (unread.remaining() >= Integer.BYTES) {
      int length = unread.getInt(unread.position());
      if (length == PartitionWriter.END) {
        if (unread.remaining() >= Integer.BYTES + Long.BYTES) {
          endPartition();
          return true;
        }
      } else if (unread.remaining() - Integer.BYTES >= length) {
        decode(length);
        return true;
      }
    }
    return fetch();
  }

  private void decode(int length) {
    int at = unread.arrayOffset() + unread.position() + Integer.BYTES;
    RecordBatchCodec codec = deployment.codecs().borrowCodec();
    try {
      RecordBatchCodec.Decoded decoded = codec.decode(unread.array(), at, at + length);
      batch = decoded.records();
      timestamps = decoded.timestamps();
    } catch (RuntimeException | LinkageError e) {
      throw new MillraceException(
          ErrorKind.USER,
          "Records of the cached "
              + current()
              + " cannot be read: "
              + Failure.sentence(Failure.unwrap(e))
              + ". They were written by job "
              + from.producer()
              + "; the program that reads them must contain the same classes.",
          e);
    } finally {
      deployment.codecs().returnCodec(codec);
    }
    unread.position(unread.position() + Integer.BYTES + length);
    position = (int) Math.min(batch.length, Math.max(0, skip - records));
    records += batch.length;
  }

  private void endPartition() {
    unread.getInt();
    long written = unread.getLong();
    if (written != records || unread.hasRemaining() || !fetchedAll) {
      throw new MillraceException(
          ErrorKind.BUG,
          "The cached "
              + current()
              + " has "
              + written
              + " records, but "
              + records
              + " were read");
    }
    beginPartition();
  }

  private boolean fetch() {
    if (pending.isEmpty()) {
      if (fetchedAll) {
        throw lost("it ends in the middle of a batch");
      }
      request();
    }
    CompletableFuture<PartitionChunk> requested = pending.orElseThrow();
    if (!requested.isDone()) {
      return false;
    }
    pending = Optional.empty();
    PartitionChunk part;
    try {
      part = requested.join();
    } catch (RuntimeException e) {
      Throwable why = Failure.unwrap(e);
      if (isLocal() || ++failures == ATTEMPTS) {
        throw lost(why.getMessage());
      }
      // A poll before the delay is over repeats the same request.
      context.wakeAfter(RETRY_DELAY);
      return false;
    }
    failures = 0;
    offset += part.bytes().length;
    fetchedAll = part.last();
    append(part.bytes());
    if (!fetchedAll) {
      request();
    }
    return true;
  }

  private void request() {
    CompletableFuture<PartitionChunk> requested =
        deployment.services().readPartition(current(), from.places().get(partition), offset);
    pending = Optional.of(requested);
    if (!requested.isDone()) {
      requested.whenComplete((part, failure) -> context.wake());
    }
  }

  private void append(byte[] bytes) {
    if (!unread.hasRemaining()) {
      unread = ByteBuffer.wrap(bytes);
      return;
    }
    ByteBuffer longer = ByteBuffer.allocate(unread.remaining() + bytes.length);
    longer.put(unread).put(bytes).flip();
    unread = longer;
  }

  private boolean isLocal() {
    return from.places().get(partition).equals(deployment.services().dataAddress());
  }

  private ClusterPartition current() {
    return new ClusterPartition(
        DataSetId.parse(from.dataSet()),
        JobId.parse(from.producer()),
        from.term(),
        partition,
        from.places().size());
  }

  private LostPartitionException lost(String why) {
    return new LostPartitionException(current(), from.places().get(partition), why);
  }
}
