package io.millrace.dataplane.wire;

import io.millrace.core.id.JobId;
import io.netty.channel.Channel;
import java.nio.ByteBuffer;
import java.util.Optional;

/** The stream of a deployment to one other host; {@link DataTransport#open} creates it. */
public final class OutboundStream {
  /** Receives the events of a stream. Transport threads call it; it must not block. */
  public interface Listener {
    void opened();

    /** Adds credits of a channel; throws if the channel or the number is invalid. */
    void credit(int edge, int producer, int consumer, int count);

    /** A reader asks an enumerator for splits; throws if the channel is invalid. */
    void splitRequest(int edge, int producer, int consumer, long total);

    /** The stream has failed. Called at most once and never after a close. */
    void failed(String why);
  }

  final JobId job;
  final long number;
  private final OutboundDataConnection connection;
  private final int stream;
  private final LocalBufferPool buffers;
  private final Listener listener;
  private int window;
  private int room;
  private volatile Channel channel;
  private volatile boolean closed;

  OutboundStream(
      OutboundDataConnection connection,
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

  /** The maximum number of frames in flight on a channel; 0 before the stream is open. */
  public int window() {
    return channel == null ? 0 : window;
  }

  /** The maximum payload of a frame; valid once the stream is open. */
  public int room() {
    return room;
  }

  /** Sends a frame. Any thread may call it; frames of one thread stay in order. */
  public void send(DataFrameHeader header, byte[] bytes, int from, int length) {
    Channel to = channel;
    if (to == null || closed) {
      return;
    }
    Optional<ByteBuffer> buffer = buffers.request();
    if (buffer.isPresent()) {
      NetworkBuffer segment = new NetworkBuffer(buffer.get(), buffers);
      to.writeAndFlush(Frames.data(segment, stream, header, bytes, from, length), to.voidPromise());
    }
  }

  /** Sends a checkpoint barrier after the frames of the same thread; false if it is not open. */
  public boolean sendBarrier(BarrierChannel through, byte[] request, int length) {
    Channel to = channel;
    if (to == null) {
      return false;
    }
    if (!closed) {
      to.writeAndFlush(
          Frames.barrier(to.alloc(), stream, through, request, length), to.voidPromise());
    }
    return true;
  }

  /** Ends the stream; frames that were sent before still arrive. */
  public void close() {
    closed = true;
    connection.closed(this);
  }

  /**
   * @param window the maximum number of frames in flight that the peer accepts
   * @param segment the size of the peer's buffers
   */
  void openedAt(Channel ready, int window, int segment) {
    if (window < 1 || segment < NetworkMemory.LEAST_SEGMENT) {
      throw new IllegalStateException(
          "it accepts "
              + window
              + " frames of "
              + segment
              + " bytes, which is too little to send a record");
    }
    this.window = Math.min(window, buffers.window());
    this.room = Math.min(segment, buffers.segment()) - Frames.DATA_OVERHEAD;
    channel = ready;
    if (!closed) {
      listener.opened();
    }
  }

  void splitRequest(int edge, int producer, int consumer, long total) {
    if (!closed) {
      listener.splitRequest(edge, producer, consumer, total);
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
