package io.millrace.dataplane;

import io.millrace.core.config.Options;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.records.ByteArrayOutput;
import io.millrace.dataplane.records.RecordBatchCodec;

/**
 * Writes and reads some of the records that tasks of a host hand to each other by reference, where
 * no other host takes part. So a program whose records cannot be sent fails on its developer's
 * machine, not on the first cluster with two TaskManagers. The reader gets what was read: a field
 * that is lost on the way is lost here, too.
 *
 * <p>One for each output of a task; lives in its step. Works on whole batches, so that a record
 * costs nothing.
 */
final class SerializationCheck {
  private final Task task;
  private final ExchangeEdge plan;

  /** 0 for never. */
  private final int interval;

  /** How many records come before the next one to check; the first one always is. */
  private long ahead;

  private SerializationCheck(Task task, ExchangeEdge plan, int interval) {
    this.task = task;
    this.plan = plan;
    this.interval = interval;
  }

  static SerializationCheck of(Task task, ExchangeEdge plan) {
    int interval =
        task.deployment().host().isAlone()
            ? task.deployment().option(Options.SERIALIZATION_CHECK_INTERVAL)
            : 0;
    return new SerializationCheck(task, plan, Math.max(interval, 0));
  }

  /** Whether a batch that is sent now holds a record to check. */
  boolean isDue(RecordBatch batch) {
    if (interval == 0) {
      return false;
    }
    if (ahead < batch.size) {
      return true;
    }
    ahead -= batch.size;
    return false;
  }

  /** Puts a copy, made from bytes, in the place of each record that is due. */
  void check(RecordBatch batch) {
    RecordBatchCodec codec = task.deployment().borrowCodec();
    ByteArrayOutput bytes = task.deployment().borrowSink();
    long next = ahead;
    try {
      for (; next < batch.size; next += interval) {
        int at = (int) next;
        bytes.clear();
        try {
          codec.encode(batch.records, at, at + 1, bytes);
          batch.records[at] = codec.decode(bytes.array(), 0, bytes.size()).records()[0];
        } catch (MillraceException e) {
          throw refused(batch.records[at], e);
        }
      }
    } finally {
      task.deployment().returnSink(bytes);
      task.deployment().returnCodec(codec);
    }
    ahead = next - batch.size;
  }

  private Error refused(Object record, MillraceException why) {
    String operator = plan.source().operators().get(plan.edge().sourceOperator()).name();
    throw task.failed(
        operator,
        new MillraceException(
            ErrorKind.USER,
            why.getMessage()
                + " (This cluster is one process and need not send records. It tries to, with every "
                + (interval == 1 ? "" : interval + "th ")
                + "record of an exchange: "
                + Options.SERIALIZATION_CHECK_INTERVAL.key()
                + ".)",
            why),
        FailureContext.onRecord(record));
  }
}
