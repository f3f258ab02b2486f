package io.millrace.dataplane.wire;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.dataplane.records.ByteSink;
import io.netty.channel.Channel;

/** A deployment's stream to one other host; made by {@link Wire#open}. */
public final class Sender {
  /** What becomes of a stream. Called by the wire's threads; implementations do not block. */
  public interface Events {
    void opened();

    void credit(int edge, int producer, int consumer, int count);

    /** The stream is dead, for this reason; comes at most once and never after a close. */
    void failed(String why);
  }

  final JobId job;
  final long number;
  private final Outgoing connection;
  private final int stream;
  private final Events events;
  private volatile Channel channel;
  private volatile boolean closed;

  Sender(Outgoing connection, int stream, JobId job, long number, Events events) {
    this.connection = connection;
    this.stream = stream;
    this.job = job;
    this.number = number;
    this.events = events;
  }

  int stream() {
    return stream;
  }

  /** Whether the other side is ready; nothing may be sent before. */
  public boolean isOpen() {
    return channel != null;
  }

  /** Sends one frame; from any thread, frames of one thread stay in order. */
  public int send(DataHeader header, ByteSink payload) {
    if (payload.size() > Frames.MAX_PAYLOAD) {
      throw new MillraceException(
          ErrorKind.USER,
          "A record of "
              + payload.size()
              + " bytes is too large to travel between processes (at most "
              + Frames.MAX_PAYLOAD
              + ")");
    }
    Channel to = channel;
    if (to == null || closed) {
      return 0;
    }
    to.writeAndFlush(
        Frames.data(to.alloc(), stream, header, payload.array(), payload.size()), to.voidPromise());
    return payload.size();
  }

  /** Ends the stream; what was sent before still arrives. */
  public void close() {
    closed = true;
    connection.closed(this);
  }

  void openedAt(Channel ready) {
    channel = ready;
    if (!closed) {
      events.opened();
    }
  }

  void credit(int edge, int producer, int consumer, int count) {
    if (!closed) {
      events.credit(edge, producer, consumer, count);
    }
  }

  void failed(String why) {
    if (!closed) {
      events.failed(why);
    }
  }
}
