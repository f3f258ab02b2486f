package io.millrace.dataplane.operator;

import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.records.ByteArrayOutput;
import io.millrace.dataplane.records.RecordBatchCodec;
import java.util.ArrayDeque;

/**
 * Sends records to the client, one part at a time. It sends the next part when the client has
 * accepted the last one; until then the task is back-pressured like by any full output.
 */
public final class CollectOperator extends TaskOutput {
  private static final int PART_RECORDS = 512;
  private static final int WAITING_RECORDS = 2 * PART_RECORDS;
  private static final int OVERFLOW_RECORDS = 16 * PART_RECORDS;

  /** Parts are sent in RPC messages, which have at most 1 MiB. */
  private static final int PART_BYTES = 900_000;

  private final OperatorContext context;
  private final String name;
  private final ArrayDeque<Object> waiting = new ArrayDeque<>();
  private volatile boolean outstanding;

  CollectOperator(OperatorContext context, String name) {
    super(context.task());
    this.context = context;
    this.name = name;
  }

  @Override
  public void processElement(Object record) {
    if (record == null) {
      throw context.failed(
          new MillraceException(
              ErrorKind.USER, "A collected record is null. Filter nulls out before collect()."));
    }
    waiting.add(record);
    if (waiting.size() >= PART_RECORDS) {
      retry();
      if (waiting.size() > OVERFLOW_RECORDS) {
        task.awaitRoom(this);
      }
    }
  }

  @Override
  public int consumers() {
    return 1;
  }

  @Override
  public void retry() {
    while (waiting.size() >= PART_RECORDS && !outstanding) {
      sendPart();
    }
    full(waiting.size() > WAITING_RECORDS);
  }

  @Override
  public void flush() {
    while (!waiting.isEmpty() && !outstanding) {
      sendPart();
    }
    full(waiting.size() > WAITING_RECORDS);
  }

  @Override
  public boolean isOverrun() {
    return waiting.size() > OVERFLOW_RECORDS / 2;
  }

  @Override
  public void control(ControlElement control) {
    flush();
  }

  @Override
  public EndStatus endSuspended() {
    return end();
  }

  @Override
  public EndStatus end() {
    flush();
    return waiting.isEmpty() && !outstanding ? EndStatus.DONE : EndStatus.WAITING;
  }

  private void sendPart() {
    Object[] records = new Object[Math.min(PART_RECORDS, waiting.size())];
    for (int i = 0; i < records.length; i++) {
      records[i] = waiting.poll();
    }
    int count = records.length;
    Bytes part;
    RecordBatchCodec codec = task.codecs().borrowCodec();
    try {
      ByteArrayOutput sink = new ByteArrayOutput();
      codec.encode(records, 0, count, sink);
      while (sink.size() > PART_BYTES && count > 1) {
        count = Math.max(1, count / 2);
        sink.clear();
        codec.encode(records, 0, count, sink);
      }
      if (sink.size() > PART_BYTES) {
        throw new MillraceException(
            ErrorKind.USER,
            "A record of "
                + sink.size()
                + " bytes is too large to be collected; the maximum is "
                + PART_BYTES
                + " bytes. Write it to a sink instead.");
      }
      part = sink.toBytes();
    } catch (Throwable thrown) {
      throw context.failed(thrown);
    } finally {
      task.codecs().returnCodec(codec);
    }
    for (int i = records.length - 1; i >= count; i--) {
      waiting.addFirst(records[i]);
    }
    outstanding = true;
    task.deployment().listener().collected(task.execution(), name, part, count, this::accepted);
  }

  /** The client has accepted the part. Any thread calls it. */
  private void accepted() {
    outstanding = false;
    task.wake();
  }
}
