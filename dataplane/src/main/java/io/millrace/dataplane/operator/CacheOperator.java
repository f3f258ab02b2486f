package io.millrace.dataplane.operator;

import io.millrace.api.time.Timestamps;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.DataSetId;
import io.millrace.dataplane.partition.PartitionWriter;
import io.millrace.dataplane.records.ByteArrayOutput;
import io.millrace.dataplane.records.RecordBatchCodec;
import io.millrace.dataplane.records.RecordBuffer;
import io.millrace.task.ClusterPartition;
import java.io.IOException;

/** Passes records on and writes them to a cluster partition, a batch at a time. */
public final class CacheOperator extends StreamOperator {
  private static final int MAX_RECORDS = 512;
  private static final int MAX_BYTES = 256 << 10;

  private final OperatorContext context;
  private final PartitionWriter writer;
  private final StreamOperator next;
  private final TaskClock clock;
  private RecordBuffer batch = new RecordBuffer(MAX_RECORDS);
  private final ByteArrayOutput bytes = new ByteArrayOutput();

  /** The number of records in a batch; smaller for large records. */
  private int limit = MAX_RECORDS;

  private boolean finished;

  CacheOperator(OperatorContext context, DataSetId dataSet, StreamOperator next)
      throws IOException {
    this.context = context;
    this.next = next;
    TaskEnvironment task = context.task();
    this.clock = task.clock();
    this.writer =
        task.deployment()
            .services()
            .partitions()
            .begin(
                new ClusterPartition(
                    dataSet,
                    task.deployment().graph().id(),
                    0,
                    task.subtask(),
                    context.parallelism()),
                task.execution());
  }

  @Override
  public void processElement(Object record) {
    long timestamp = clock.timestamp;
    if (timestamp != Timestamps.NONE || batch.timestamps != null) {
      batch.setTimestamp(timestamp);
    }
    batch.records[batch.size++] = record;
    if (batch.size >= limit) {
      write();
    }
    next.processElement(record);
  }

  @Override
  public EndStatus endSuspended() {
    return end();
  }

  @Override
  public EndStatus end() {
    if (!finished) {
      finished = true;
      if (batch.size > 0) {
        write();
      }
      try {
        writer.finish();
      } catch (IOException e) {
        throw context.failed(notWritten(e));
      }
    }
    return EndStatus.DONE;
  }

  private void write() {
    RecordBatchCodec codec = context.task().codecs().borrowCodec();
    try {
      bytes.clear();
      codec.encode(batch.records, batch.timestamps(), 0, batch.size, bytes);
      writer.write(bytes.array(), bytes.size(), batch.size);
    } catch (IOException e) {
      throw context.failed(notWritten(e));
    } catch (Throwable thrown) {
      throw context.failed(thrown);
    } finally {
      context.task().codecs().returnCodec(codec);
    }
    if (bytes.size() > MAX_BYTES) {
      limit = Math.max(1, limit / 2);
    }
    batch = new RecordBuffer(limit);
  }

  private static MillraceException notWritten(IOException why) {
    return new MillraceException(
        ErrorKind.EXTERNAL,
        "The cluster partition cannot be written: "
            + why.getMessage()
            + ". Check the free space in "
            + CoreOptions.TMP_DIRS.key()
            + " of the TaskManager.",
        why);
  }

  @Override
  public void close() throws IOException {
    writer.close();
  }
}
