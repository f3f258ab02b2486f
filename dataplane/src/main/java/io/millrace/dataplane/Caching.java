package io.millrace.dataplane;

import io.millrace.api.time.Timestamps;
import io.millrace.core.config.Options;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.DataSetId;
import io.millrace.dataplane.kept.PartitionWriter;
import io.millrace.dataplane.records.ByteSink;
import io.millrace.dataplane.records.RecordCodec;
import io.millrace.graph.task.ClusterPartition;
import java.io.IOException;

/** Hands records on and writes them down for later jobs, a batch at a time. */
final class Caching extends Stage {
  private static final int MOST_RECORDS = 512;
  private static final int USUAL_BYTES = 256 << 10;

  private final Stages.Place place;
  private final PartitionWriter writer;
  private final Stage next;
  private final TaskTime time;
  private Batch batch = new Batch(MOST_RECORDS);
  private final ByteSink bytes = new ByteSink();

  /** How many records make a batch; fewer where they are large. */
  private int limit = MOST_RECORDS;

  private boolean finished;

  Caching(Stages.Place place, DataSetId dataSet, int parallelism, Stage next) throws IOException {
    this.place = place;
    this.next = next;
    Task task = place.task();
    this.time = task.time();
    this.writer =
        task.deployed()
            .host()
            .partitions()
            .begin(
                new ClusterPartition(
                    dataSet, task.deployed().graph().id(), 0, task.subtask(), parallelism),
                task.execution());
  }

  @Override
  void push(Object record) {
    long timestamp = time.timestamp;
    if (timestamp != Timestamps.NONE || batch.timestamps != null) {
      batch.stamp(timestamp);
    }
    batch.records[batch.size++] = record;
    if (batch.size >= limit) {
      write();
    }
    next.push(record);
  }

  @Override
  Ended end() {
    if (!finished) {
      finished = true;
      if (batch.size > 0) {
        write();
      }
      try {
        writer.finish();
      } catch (IOException e) {
        throw place.failed(notWritten(e));
      }
    }
    return Ended.YES;
  }

  private void write() {
    RecordCodec codec = place.task().deployed().borrowCodec();
    try {
      bytes.clear();
      codec.encode(batch.records, batch.timestamps(), 0, batch.size, bytes);
      writer.write(bytes.array(), bytes.size(), batch.size);
    } catch (IOException e) {
      throw place.failed(notWritten(e));
    } catch (Throwable thrown) {
      throw place.failed(thrown);
    } finally {
      place.task().deployed().returnCodec(codec);
    }
    if (bytes.size() > USUAL_BYTES) {
      limit = Math.max(1, limit / 2);
    }
    batch = new Batch(limit);
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
