package io.millrace.dataplane;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.dataplane.records.ByteSink;
import io.millrace.dataplane.wire.DataFrame;
import io.millrace.dataplane.wire.DataHeader;
import io.millrace.dataplane.wire.ReservedBuffers;
import io.millrace.dataplane.wire.Wire;

/** Takes what another host sends to a deployment's tasks. Called by the wire's threads. */
final class Receiving implements Wire.Receiver {
  private final Deployed deployed;

  Receiving(Deployed deployed) {
    this.deployed = deployed;
  }

  @Override
  public ReservedBuffers buffers() {
    return deployed.buffers();
  }

  @Override
  public boolean data(DataFrame frame) {
    DataHeader header = frame.header();
    EdgePlan edge = deployed.edge(header.edge()).orElse(null);
    if (edge == null
        || header.consumer() < 0
        || header.consumer() >= edge.targets().length
        || header.producer() < edge.firstProducer(header.consumer())
        || header.producer() >= edge.endProducer(header.consumer())
        || edge.targets()[header.consumer()] == null) {
      return false;
    }
    Batch batch = new Batch(0);
    batch.edge = edge;
    batch.producer = header.producer();
    batch.control =
        switch (header.control()) {
          case DataHeader.NO_CONTROL -> null;
          case DataHeader.WATERMARK -> new Control.Watermark(header.value());
          case DataHeader.BARRIER -> new Control.Barrier(header.value());
          case DataHeader.IDLE -> Control.Status.IDLE;
          case DataHeader.ACTIVE -> Control.Status.ACTIVE;
          default -> Control.EndOfInput.INSTANCE;
        };
    batch.arrived = new FrameBatch(frame);
    edge.targets()[header.consumer()].arrive(batch);
    return true;
  }

  @Override
  public void lost(String from, String why) {
    int host = deployed.deployment().placement().hosts().indexOf(from);
    Failure failure = Failure.of(ErrorKind.EXTERNAL, why);
    for (Task task : deployed.tasks()) {
      task.hostLost(host, failure);
    }
  }

  /** Lives where its batch lives. */
  private static final class FrameBatch implements Arrived {
    private final DataFrame frame;
    private boolean released;

    FrameBatch(DataFrame frame) {
      this.frame = frame;
    }

    @Override
    public boolean goesOn() {
      return frame.header().more();
    }

    @Override
    public int length() {
      return frame.size();
    }

    @Override
    public void take(ByteSink to) {
      int length = frame.size();
      int at = to.claim(length);
      frame.copyTo(to.array(), at);
      release();
    }

    @Override
    public void credit() {
      frame.credit();
    }

    @Override
    public void release() {
      if (!released) {
        released = true;
        frame.release();
      }
    }
  }
}
