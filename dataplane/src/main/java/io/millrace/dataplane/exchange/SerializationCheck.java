package io.millrace.dataplane.exchange;

import io.millrace.core.config.ExecutionOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.operator.FailureContext;
import io.millrace.dataplane.operator.TaskEnvironment;
import io.millrace.dataplane.records.ByteArrayOutput;
import io.millrace.dataplane.records.RecordBatchCodec;

/**
 * Serialises and deserialises some of the records that the tasks of a process exchange by
 * reference, if no other process takes part. A program whose records cannot be serialised then
 * fails on its developer's machine and not on the first cluster with two TaskManagers. The consumer
 * gets the deserialised record, so that a lost field is visible.
 *
 * <p>Each output of a task has its own. Belongs to the task's step. It checks once a batch whether
 * a record is due, so that the other records cost nothing.
 */
final class SerializationCheck {
  private final TaskEnvironment task;
  private final ExchangeEdge plan;

  /** One of so many records is checked; 0 for none. */
  private final int interval;

  /** The number of records before the next one to check. The first record is checked. */
  private long ahead;

  private SerializationCheck(TaskEnvironment task, ExchangeEdge plan, int interval) {
    this.task = task;
    this.plan = plan;
    this.interval = interval;
  }

  static SerializationCheck of(TaskEnvironment task, ExchangeEdge plan) {
    int interval =
        task.deployment().services().isAlone()
            ? task.deployment().option(ExecutionOptions.SERIALIZATION_CHECK_INTERVAL)
            : 0;
    return new SerializationCheck(task, plan, Math.max(interval, 0));
  }

  /** Whether a batch contains a record to check. */
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

  /** Replaces each record that is due by its deserialised copy. */
  void check(RecordBatch batch) {
    RecordBatchCodec codec = task.codecs().borrowCodec();
    ByteArrayOutput bytes = task.codecs().borrowOutput();
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
      task.codecs().returnOutput(bytes);
      task.codecs().returnCodec(codec);
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
                + " (This cluster is one process and sends no records. It serialises every "
                + (interval == 1 ? "" : interval + "th ")
                + "record of an exchange as a check: "
                + ExecutionOptions.SERIALIZATION_CHECK_INTERVAL.key()
                + ".)",
            why),
        FailureContext.onRecord(record));
  }
}
