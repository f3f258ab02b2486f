package io.millrace.dataplane;

import io.millrace.api.time.Timestamps;
import io.millrace.core.config.Options;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.DataSetId;
import io.millrace.dataplane.partition.PartitionWriter;
import io.millrace.dataplane.records.ByteArrayOutput;
import io.millrace.dataplane.records.RecordBatchCodec;
import io.millrace.task.ClusterPartition;
import java.io.IOException;

/** Hands records on and writes them down for later jobs, a batch at a time. */
final class CacheOperator extends StreamOperator {
  private static final int MOST_RECORDS = 512;
  private static final int USUAL_BYTES = 256 << 10;

  private final OperatorContext context;
  private final PartitionWriter writer;
  private final StreamOperator next;
  private final TaskClock clock;
  private RecordBatch batch = new RecordBatch(MOST_RECORDS);
  private final ByteArrayOutput bytes = new ByteArrayOutput();

  /** How many records make a batch; fewer where they are large. */
  private int limit = MOST_RECORDS;

  private boolean finished;

  CacheOperator(OperatorContext context, DataSetId dataSet, int parallelism, StreamOperator next)
      throws IOException {
    this.context = context;
    this.next = next;
    Task task = context.task();
    this.clock = task.clock();
    this.writer =
        task.deployment()
            .host()
            .partitions()
            .begin(
                new ClusterPartition(
                    dataSet, task.deployment().graph().id(), 0, task.subtask(), parallelism),
                task.execution());
  }

  @Override
  void processElement(Object record) {
    long timestamp = clock.timestamp;
    if (timestamp != Timestamps.NONE || batch.timestamps != null) {
      batch.stamp(timestamp);
    }
    batch.records[batch.size++] = record;
    if (batch.size >= limit) {
      write();
    }
    next.processElement(record);
  }

  @Override
  EndStatus end() {
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
    RecordBatchCodec codec = context.task().deployment().borrowCodec();
    try {
      bytes.clear();
      codec.encode(batch.records, batch.timestamps(), 0, batch.size, bytes);
      writer.write(bytes.array(), bytes.size(), batch.size);
    } catch (IOException e) {
      throw context.failed(notWritten(e));
    } catch (Throwable thrown) {
      throw context.failed(thrown);
    } finally {
      context.task().deployment().returnCodec(codec);
    }
    if (bytes.size() > USUAL_BYTES) {
      limit = Math.max(1, limit / 2);
    }
    batch = new RecordBatch(limit);
  }

  private static MillraceException notWritten(IOException why) {
    return new MillraceException(
        ErrorKind.EXTERNAL,
        "Records cannot be kept for later jobs: "
            + why.getMessage()
            + ". Is there room in "
            + Options.TMP_DIRS.key()
            + " of the TaskManager?",
        why);
  }

  @Override
  void close() throws IOException {
    writer.close();
  }
}
