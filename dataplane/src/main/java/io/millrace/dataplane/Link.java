package io.millrace.dataplane;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.records.RecordCodec;
import io.millrace.dataplane.wire.DataHeader;
import io.millrace.dataplane.wire.Sender;

/** The way from one deployment's tasks on this host to those on another one. */
final class Link implements Sender.Events {
  /** A record above this is refused: both sides need it in one piece. */
  static final int MAX_RECORD = 64 << 20;

  /**
   * A batch above this is serialised in parts, so that the bytes of large records do not pile up.
   */
  private static final int PART_BYTES = 1 << 20;

  /** How much of a frame a part is meant to fill, because records differ a little in length. */
  private static final float FILLED = 0.95f;

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
            .open(
                address,
                deployed.graph().id(),
                deployed.deployment().number(),
                deployed.buffers(),
                this);
  }

  /** How many frames of a channel may be in flight at most; none until the link is open. */
  int window() {
    return sender.window();
  }

  /**
   * Begins to send a batch. Its parts are made of such a size that each fits into one frame, as far
   * as that can be told from what was sent before: the other side need not put it together then.
   *
   * @param bytesARecord how long the last records were
   */
  void begin(Batch batch, float bytesARecord) {
    int parts = (int) (batch.size * bytesARecord / (FILLED * sender.room())) + 1;
    batch.parcel = new Parcel(deployed.borrowSink(), (batch.size + parts - 1) / parts);
  }

  /** Sends the next frame of a batch, for which there is a credit; returns how many bytes. */
  int send(Task from, EdgePlan edge, int consumer, Batch batch) {
    Parcel parcel = batch.parcel;
    if (parcel.isSent()) {
      try {
        pack(batch, parcel);
      } catch (Throwable thrown) {
        throw from.failed("exchange to " + edge.target().name(), thrown);
      }
    }
    int length = Math.min(parcel.bytes.size() - parcel.sent, sender.room());
    int start = parcel.sent;
    parcel.sent += length;
    boolean last = parcel.isSent() && parcel.packed == batch.size;
    DataHeader header =
        new DataHeader(
            edge.edge().id(),
            from.subtask(),
            consumer,
            !parcel.isSent(),
            last ? kind(batch.control) : DataHeader.NO_CONTROL,
            last ? value(batch.control) : 0);
    sender.send(header, parcel.bytes.array(), start, length);
    if (last) {
      batch.parcel = null;
      deployed.returnSink(parcel.bytes);
    }
    return length;
  }

  /** Serialises as many of the batch's records as make a part. */
  private void pack(Batch batch, Parcel parcel) {
    RecordCodec codec = deployed.borrowCodec();
    try {
      int end = pack(codec, batch, parcel);
      while (parcel.bytes.size() > PART_BYTES && end - parcel.packed > 1) {
        parcel.step = (end - parcel.packed + 1) / 2;
        end = pack(codec, batch, parcel);
      }
      if (parcel.bytes.size() > MAX_RECORD) {
        throw new MillraceException(
            ErrorKind.USER,
            "A record of "
                + parcel.bytes.size()
                + " bytes is too large to travel between processes (at most "
                + MAX_RECORD
                + ")");
      }
      if (end > parcel.packed) {
        parcel.bytesARecord = (float) parcel.bytes.size() / (end - parcel.packed);
      }
      parcel.packed = end;
      parcel.sent = 0;
    } finally {
      deployed.returnCodec(codec);
    }
  }

  private static int pack(RecordCodec codec, Batch batch, Parcel parcel) {
    int end = Math.min(batch.size, parcel.packed + parcel.step);
    parcel.bytes.clear();
    codec.encode(batch.records, batch.timestamps(), parcel.packed, end, parcel.bytes);
    return end;
  }

  private static int kind(Control control) {
    if (control == null) {
      return DataHeader.NO_CONTROL;
    } else if (control instanceof Control.Watermark) {
      return DataHeader.WATERMARK;
    } else if (control instanceof Control.Barrier) {
      return DataHeader.BARRIER;
    } else if (control instanceof Control.Status status) {
      return status == Control.Status.IDLE ? DataHeader.IDLE : DataHeader.ACTIVE;
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
    if (edge == null
        || producer < 0
        || producer >= edge.sources().length
        || edge.sources()[producer] == null
        || consumer < edge.firstConsumer(producer)
        || consumer >= edge.endConsumer(producer)
        || edge.targetHosts()[consumer] != host) {
      throw new IllegalStateException(
          "it gives credit for a channel that is not there: edge %d from %d to %d"
              .formatted(edgeId, producer, consumer));
    }
    edge.sources()[producer].output(edge.output()).credit(consumer, count);
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
