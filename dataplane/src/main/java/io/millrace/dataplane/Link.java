package io.millrace.dataplane;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.records.ByteSink;
import io.millrace.dataplane.records.RecordCodec;
import io.millrace.dataplane.wire.DataHeader;
import io.millrace.dataplane.wire.Sender;

/** The way from one deployment's tasks on this host to those on another one. */
final class Link implements Sender.Events {
  /** A batch above this is cut, so that large records do not make a frame of any size. */
  private static final int PART_BYTES = 1 << 20;

  private final Deployed deployed;
  private final int host;
  private volatile Sender sender;

  Link(Deployed deployed, int host) {
    this.deployed = deployed;
    this.host = host;
  }

  void start(DataPlane plane, String address) {
    sender =
        plane
            .wire(address)
            .open(address, deployed.graph().id(), deployed.deployment().number(), this);
  }

  boolean isOpen() {
    return sender.isOpen();
  }

  /** Serialises a batch and sends it; returns how many bytes that took. */
  int send(Task from, EdgePlan edge, int consumer, Batch batch) {
    RecordCodec codec = deployed.borrowCodec();
    try {
      return send(codec, new ByteSink(), from, edge, consumer, batch, 0);
    } catch (MillraceException e) {
      throw from.failed("exchange to " + edge.target().name(), e);
    } finally {
      deployed.returnCodec(codec);
    }
  }

  private int send(
      RecordCodec codec,
      ByteSink sink,
      Task from,
      EdgePlan edge,
      int consumer,
      Batch batch,
      int first) {
    int sent = 0;
    int at = first;
    int step = batch.size;
    do {
      int end = Math.min(batch.size, at + step);
      sink.clear();
      codec.encode(batch.records, at, end, sink);
      if (sink.size() > PART_BYTES && end - at > 1) {
        step = (end - at + 1) / 2;
        continue;
      }
      boolean last = end == batch.size;
      DataHeader header =
          new DataHeader(
              edge.edge().id(),
              from.subtask(),
              consumer,
              !last,
              last ? kind(batch.control) : DataHeader.NO_CONTROL,
              last ? value(batch.control) : 0);
      sent += sender.send(header, sink);
      at = end;
    } while (at < batch.size);
    return sent;
  }

  private static int kind(Control control) {
    if (control == null) {
      return DataHeader.NO_CONTROL;
    } else if (control instanceof Control.Watermark) {
      return DataHeader.WATERMARK;
    } else if (control instanceof Control.Barrier) {
      return DataHeader.BARRIER;
    }
    return DataHeader.END_OF_INPUT;
  }

  private static long value(Control control) {
    if (control instanceof Control.Watermark mark) {
      return mark.time();
    } else if (control instanceof Control.Barrier barrier) {
      return barrier.checkpoint();
    }
    return 0;
  }

  void close() {
    sender.close();
  }

  @Override
  public void opened() {
    deployed.tasks().forEach(Task::roomMade);
  }

  @Override
  public void credit(int edgeId, int producer, int consumer, int count) {
    EdgePlan edge = deployed.edge(edgeId).orElse(null);
    if (edge == null || producer < 0 || producer >= edge.sources().length) {
      return;
    }
    Task task = edge.sources()[producer];
    if (task != null
        && consumer >= edge.firstConsumer(producer)
        && consumer < edge.endConsumer(producer)) {
      task.output(edge.output()).credit(consumer, count);
    }
  }

  @Override
  public void failed(String why) {
    Failure failure = Failure.of(ErrorKind.EXTERNAL, why);
    for (Task task : deployed.tasks()) {
      if (task.sendsTo(host)) {
        task.fail(failure);
      }
    }
  }
}
