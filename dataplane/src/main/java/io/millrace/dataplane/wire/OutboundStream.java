package io.millrace.dataplane.wire;

import io.millrace.core.id.JobId;
import io.netty.channel.Channel;
import java.nio.ByteBuffer;
import java.util.Optional;

/** A deployment's stream to one other host; made by {@link DataTransport#open}. */
public final class OutboundStream {
  /** What becomes of a stream. Called by the wire's threads; implementations do not block. */
  public interface Listener {
    void opened();

    /** More may be sent on a channel; throws where that cannot be. */
    void credit(int edge, int producer, int consumer, int count);

    /** The stream is dead, for this reason; comes at most once and never after a close. */
    void failed(String why);
  }

  final JobId job;
  final long number;
  private final OutboundConnection connection;
  private final int stream;
  private final LocalBufferPool buffers;
  private final Listener listener;
  private int window;
  private int room;
  private volatile Channel channel;
  private volatile boolean closed;

  OutboundStream(
      OutboundConnection connection,
      int stream,
      JobId job,
      long number,
      LocalBufferPool buffers,
      Listener listener) {
    this.connection = connection;
    this.stream = stream;
    this.job = job;
    this.number = number;
    this.buffers = buffers;
    this.listener = listener;
  }

  int stream() {
    return stream;
  }

  /** How many frames a channel may have in flight; none before the other side is ready. */
  public int window() {
    return channel == null ? 0 : window;
  }

  /** How long a frame's payload may be, once the stream is open. */
  public int room() {
    return room;
  }

  /** Sends one frame; from any thread, frames of one thread stay in order. */
  public void send(DataFrameHeader header, byte[] bytes, int from, int length) {
    Channel to = channel;
    if (to == null || closed) {
      return;
    }
    Optional<ByteBuffer> buffer = buffers.take();
    if (buffer.isPresent()) {
      NetworkBuffer segment = new NetworkBuffer(buffer.get(), buffers);
      to.writeAndFlush(Frames.data(segment, stream, header, bytes, from, length), to.voidPromise());
    }
  }

  /** Ends the stream; what was sent before still arrives. */
  public void close() {
    closed = true;
    connection.closed(this);
  }

  /**
   * @param window how many frames of a channel the other side takes
   * @param segment size of its buffers
   */
  void openedAt(Channel ready, int window, int segment) {
    if (window < 1 || segment < NetworkMemory.LEAST_SEGMENT) {
      throw new IllegalStateException(
          "it takes "
              + window
              + " frames of "
              + segment
              + " bytes, with which nothing can be sent");
    }
    this.window = Math.min(window, buffers.window());
    this.room = Math.min(segment, buffers.segment()) - Frames.DATA_OVERHEAD;
    channel = ready;
    if (!closed) {
      listener.opened();
    }
  }

  void credit(int edge, int producer, int consumer, int count) {
    if (!closed) {
      listener.credit(edge, producer, consumer, count);
    }
  }

  void failed(String why) {
    if (!closed) {
      listener.failed(why);
    }
  }
}
