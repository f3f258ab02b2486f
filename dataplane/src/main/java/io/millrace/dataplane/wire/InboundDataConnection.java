package io.millrace.dataplane.wire;

import io.millrace.core.error.Failure;
import io.millrace.core.id.JobId;
import io.millrace.task.ClusterPartition;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.netty.util.concurrent.Future;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An authenticated connection from another host. Belongs to its event loop. */
final class InboundDataConnection extends SimpleChannelInboundHandler<ByteBuf> {
  private static final Logger LOG = LoggerFactory.getLogger(InboundDataConnection.class);

  /** The maximum number of bytes in a PART frame, even if the peer accepts more. */
  private static final int MOST_AT_ONCE = 1 << 20;

  /** The maximum number of streams. A stream is a deployment that has not ended. */
  private static final int MOST_STREAMS = 64 << 10;

  /** The stream of a deployment. It has a receiver while the deployment runs here. */
  private static final class Stream {
    final JobId job;
    final long number;
    Optional<DataTransport.Receiver> receiver = Optional.empty();
    Optional<Future<?>> deadline = Optional.empty();

    Stream(JobId job, long number) {
      this.job = job;
      this.number = number;
    }
  }

  private final DataTransport wire;
  private final String from;
  private final IntObjectMap<Stream> streams = new IntObjectHashMap<>();
  private Channel channel;
  private ChannelHandlerContext context;
  private String error = "";

  /**
   * @param from data address of the peer
   */
  InboundDataConnection(DataTransport wire, String from) {
    this.wire = wire;
    this.from = from;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    this.context = context;
    channel = context.channel();
    wire.add(this);
  }

  /** Closes the connection if an action throws: Netty would only log it and the peer would wait. */
  private void guarded(Runnable action) {
    try {
      action.run();
    } catch (Throwable thrown) {
      exceptionCaught(context, thrown);
    }
  }

  private void inLoop(Runnable action) {
    channel.eventLoop().execute(() -> guarded(action));
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
    if (!error.isEmpty()) {
      return;
    }
    byte type = frame.readByte();
    int id = frame.readInt();
    switch (type) {
      case Frames.OPEN -> open(id, frame);
      case Frames.DATA -> data(id, frame);
      case Frames.BARRIER -> barrier(id, frame);
      case Frames.CLOSE -> close(id);
      case Frames.FETCH -> fetch(id, frame);
      case Frames.PING ->
          channel.writeAndFlush(Frames.pong(channel.alloc()), channel.voidPromise());
      default -> throw new IllegalStateException("it sent an unexpected frame of type " + type);
    }
  }

  private void open(int id, ByteBuf frame) {
    JobId job = Frames.readJob(frame);
    Stream stream = new Stream(job, frame.readLong());
    if (streams.size() >= MOST_STREAMS) {
      throw new IllegalStateException("it opens more than " + MOST_STREAMS + " streams");
    }
    // The one that is open stays: its receiver is told that the connection is lost.
    if (streams.containsKey(id)) {
      throw new IllegalStateException("it opens stream " + id + " twice");
    }
    streams.put(id, stream);
    if (!accept(id, stream)) {
      stream.deadline =
          Optional.of(
              channel
                  .eventLoop()
                  .schedule(
                      () -> guarded(() -> expire(id, stream)),
                      wire.port().timeouts().open().toMillis(),
                      TimeUnit.MILLISECONDS));
    }
  }

  private boolean accept(int id, Stream stream) {
    if (stream.receiver.isEmpty()) {
      stream.receiver = wire.find(stream.job, stream.number);
      if (stream.receiver.isPresent()) {
        stream.deadline.ifPresent(waiting -> waiting.cancel(false));
        LocalBufferPool buffers = stream.receiver.get().buffers();
        channel.writeAndFlush(
            Frames.opened(channel.alloc(), id, buffers.window(), buffers.segment()),
            channel.voidPromise());
      }
    }
    return stream.receiver.isPresent();
  }

  private void expire(int id, Stream stream) {
    if (streams.get(id) == stream && !accept(id, stream)) {
      streams.remove(id);
      channel.writeAndFlush(
          Frames.error(
              channel.alloc(),
              id,
              "deployment "
                  + stream.number
                  + " of job "
                  + stream.job
                  + " did not start there within "
                  + wire.port().timeouts().open().toMillis()
                  + " ms"),
          channel.voidPromise());
    }
  }

  private void data(int id, ByteBuf frame) {
    DataFrameHeader header = Frames.readHeader(frame);
    Stream stream = streams.get(id);
    if (stream == null || stream.receiver.isEmpty()) {
      return;
    }
    LocalBufferPool buffers = stream.receiver.get().buffers();
    Optional<ByteBuffer> buffer = buffers.request();
    if (buffer.isEmpty()) {
      return;
    }
    NetworkBuffer payload = new NetworkBuffer(buffer.get(), buffers);
    DataFrame data = new DataFrame(header, payload, channel, id);
    if (frame.readableBytes() > payload.capacity()) {
      data.release();
      throw new IllegalStateException(
          "it sent " + frame.readableBytes() + " bytes of records in one frame");
    }
    payload.writeBytes(frame);
    if (!stream.receiver.get().data(data)) {
      data.release();
      throw new IllegalStateException(
          "it sent records for a channel that does not exist: " + header);
    }
  }

  private void barrier(int id, ByteBuf frame) {
    BarrierChannel through = Frames.readBarrierChannel(frame);
    Stream stream = streams.get(id);
    if (stream == null || stream.receiver.isEmpty()) {
      return;
    }
    byte[] request = new byte[frame.readableBytes()];
    frame.readBytes(request);
    if (!stream.receiver.get().barrier(through, request)) {
      throw new IllegalStateException(
          "it sent a barrier for a channel that does not exist: " + through);
    }
  }

  /** Answers from the thread that reads the file; a client fetches one chunk at a time. */
  private void fetch(int id, ByteBuf frame) {
    ClusterPartition partition = Frames.readPartition(frame);
    long offset = frame.readLong();
    int most = Math.max(1, Math.min(frame.readInt(), MOST_AT_ONCE));
    wire.partitionReader()
        .read(partition, offset, most)
        .whenComplete(
            (part, failure) ->
                inLoop(
                    () ->
                        channel.writeAndFlush(
                            failure == null
                                ? Frames.part(channel.alloc(), id, part)
                                : Frames.error(
                                    channel.alloc(), id, Failure.sentence(Failure.unwrap(failure))),
                            channel.voidPromise())));
  }

  /**
   * Ends a stream whose producers have ended. A stream with a receiver stays until the deployment
   * ends here: if the host is lost before, consumers that still expect records from it must fail.
   */
  private void close(int id) {
    Stream stream = streams.get(id);
    if (stream != null && stream.receiver.isEmpty()) {
      streams.remove(id);
    }
  }

  /** Opens the streams that wait for a deployment. */
  void deploymentStarted(JobId job, long number) {
    inLoop(
        () -> {
          for (IntObjectMap.PrimitiveEntry<Stream> entry : streams.entries()) {
            Stream stream = entry.value();
            if (stream.number == number && stream.job.equals(job)) {
              accept(entry.key(), stream);
            }
          }
        });
  }

  /** Drops the streams of a deployment that has ended, and the frames that still come. */
  void deploymentEnded(JobId job, long number) {
    inLoop(
        () ->
            streams.values().removeIf(stream -> stream.number == number && stream.job.equals(job)));
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    wire.remove(this);
    String why = "The connection from TaskManager " + from + " broke" + error;
    for (Stream stream : streams.values()) {
      stream.receiver.ifPresent(receiver -> receiver.lost(from, why));
    }
    streams.clear();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (!error.isEmpty()) {
      return;
    }
    String reason = WireErrors.sentence(cause);
    error = ": " + reason;
    LOG.warn("The data connection from TaskManager {} is closed: {}", from, reason);
    context
        .writeAndFlush(Frames.error(context.alloc(), Frames.CONNECTION, reason))
        .addListener(told -> context.close());
  }
}
