package io.millrace.dataplane.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection to the data port of another host. Its streams belong to its event loop.
 *
 * <table>
 * <caption>Transitions</caption>
 * <tr><th>from</th><th>event</th><th>to</th></tr>
 * <tr><td>connecting</td><td>the handshake is complete</td><td>connected</td></tr>
 * <tr><td>connecting</td><td>the peer cannot be reached, or the handshake
 * fails</td><td>broken</td></tr>
 * <tr><td>connecting, connected</td><td>the peer closes before its first frame, up to 7
 * times</td><td>connecting, after a pause</td></tr>
 * <tr><td>connected</td><td>the connection ends or a frame is invalid</td><td>broken</td></tr>
 * </table>
 *
 * <p>A peer may close early because too many handshakes are pending there; no record has been sent
 * by then. A broken connection is never used again: the next stream opens a new one.
 */
@ChannelHandler.Sharable // in one pipeline after the other
final class OutboundDataConnection extends SimpleChannelInboundHandler<ByteBuf> {
  private static final Logger LOG = LoggerFactory.getLogger(OutboundDataConnection.class);

  private static final int MOST_ATTEMPTS = 8;
  private static final int FIRST_PAUSE_MILLIS = 20;
  private static final int LONGEST_PAUSE_MILLIS = 500;

  private final DataTransport wire;
  private final String peer;
  private final EventLoop loop;
  private final IntObjectMap<OutboundStream> streams = new IntObjectHashMap<>();
  private final IntObjectMap<PartitionFetch> fetches = new IntObjectHashMap<>();
  private Channel channel;
  private boolean connected;
  private boolean accepted;
  private int attempts;
  private String broken = "";
  private String error = "";

  OutboundDataConnection(DataTransport wire, String peer, EventLoop loop) {
    this.wire = wire;
    this.peer = peer;
    this.loop = loop;
  }

  String peer() {
    return peer;
  }

  EventLoop loop() {
    return loop;
  }

  /** Breaks the connection if an action throws: Netty would only log it and tasks would wait. */
  private void inLoop(Runnable action) {
    loop.execute(
        () -> {
          try {
            action.run();
          } catch (Throwable thrown) {
            breakOff(thrown);
          }
        });
  }

  private void breakOff(Throwable thrown) {
    broke("The connection to TaskManager " + peer + " broke: " + WireErrors.sentence(thrown));
    if (channel != null) {
      channel.close();
    }
  }

  void add(OutboundStream sender) {
    inLoop(
        () -> {
          if (!broken.isEmpty()) {
            sender.failed(broken);
            return;
          }
          streams.put(sender.stream(), sender);
          if (connected) {
            open(sender);
          }
        });
  }

  void add(PartitionFetch fetch) {
    inLoop(
        () -> {
          if (!broken.isEmpty()) {
            fetch.failed(broken);
            return;
          }
          fetches.put(fetch.stream(), fetch);
          if (connected) {
            ask(fetch);
          }
        });
  }

  private void ask(PartitionFetch fetch) {
    channel.writeAndFlush(
        Frames.fetch(
            channel.alloc(), fetch.stream(), fetch.partition(), fetch.offset(), fetch.most()),
        channel.voidPromise());
  }

  void closed(OutboundStream sender) {
    inLoop(
        () -> {
          if (streams.remove(sender.stream()) != null && connected) {
            channel.writeAndFlush(
                Frames.close(channel.alloc(), sender.stream()), channel.voidPromise());
          }
        });
  }

  private void open(OutboundStream sender) {
    channel.writeAndFlush(
        Frames.open(channel.alloc(), sender.stream(), sender.job, sender.number),
        channel.voidPromise());
  }

  /** Fails all streams, because the connection could not be opened or has ended. */
  void broke(String why) {
    if (!broken.isEmpty()) {
      return;
    }
    broken = why;
    wire.remove(peer, this);
    LOG.info("Data connection to {} ended: {}", peer, why);
    for (OutboundStream sender : streams.values().toArray(new OutboundStream[0])) {
      sender.failed(why);
    }
    streams.clear();
    fetches.values().forEach(fetch -> fetch.failed(why));
    fetches.clear();
  }

  /**
   * Called if the peer closes the connection before its first frame after the handshake.
   *
   * @param why continues a sentence that begins with the name of the peer
   */
  void notAccepted(String why) {
    connected = false;
    attempts++;
    if (attempts < MOST_ATTEMPTS && broken.isEmpty() && !loop.isShuttingDown()) {
      LOG.info("TaskManager {} {} Retry {}", peer, why, attempts);
      loop.schedule(
          () -> wire.connect(this),
          Math.min(FIRST_PAUSE_MILLIS << attempts, LONGEST_PAUSE_MILLIS),
          TimeUnit.MILLISECONDS);
    } else {
      broke("TaskManager " + peer + " " + why + " (" + attempts + " attempts)");
    }
  }

  /** Called when the handshake is complete. */
  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    channel = context.channel();
    connected = true;
    try {
      streams.values().forEach(this::open);
      fetches.values().forEach(this::ask);
    } catch (Throwable thrown) {
      breakOff(thrown);
    }
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
    if (!error.isEmpty()) {
      return;
    }
    accepted = true;
    switch (frame.readByte()) {
      case Frames.OPENED -> {
        OutboundStream sender = streams.get(frame.readInt());
        if (sender != null) {
          sender.openedAt(channel, frame.readInt(), frame.readInt());
        }
      }
      case Frames.CREDIT -> {
        OutboundStream sender = streams.get(frame.readInt());
        if (sender != null) {
          sender.credit(frame.readInt(), frame.readInt(), frame.readInt(), frame.readInt());
        }
      }
      case Frames.SPLIT_REQUEST -> {
        OutboundStream sender = streams.get(frame.readInt());
        if (sender != null) {
          sender.splitRequest(frame.readInt(), frame.readInt(), frame.readInt(), frame.readLong());
        }
      }
      case Frames.PONG -> LOG.trace("{} answered a ping", peer);
      case Frames.ERROR -> {
        int stream = frame.readInt();
        if (stream == Frames.CONNECTION) {
          giveUp(context, "it reports: " + Frames.readText(frame));
          return;
        }
        OutboundStream sender = streams.remove(stream);
        PartitionFetch fetch = fetches.remove(stream);
        if (sender != null) {
          sender.failed("TaskManager " + peer + " refuses records: " + Frames.readText(frame));
        } else if (fetch != null) {
          fetch.failed(Frames.readText(frame));
        }
      }
      case Frames.PART -> {
        PartitionFetch fetch = fetches.remove(frame.readInt());
        if (fetch != null) {
          fetch.answer().complete(Frames.readPart(frame));
        }
      }
      default -> throw new IllegalStateException("it sent an unexpected frame");
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    LOG.debug("The data connection to {} failed", peer, cause);
    if (!accepted && WireErrors.isReset(cause)) {
      context.close();
      return;
    }
    giveUp(context, WireErrors.sentence(cause));
  }

  private void giveUp(ChannelHandlerContext context, String why) {
    if (error.isEmpty()) {
      error = ": " + why;
    }
    context.close();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (accepted || !error.isEmpty()) {
      broke("The connection to TaskManager " + peer + " broke" + error);
    } else {
      notAccepted("closed the connection before it accepted a stream.");
    }
  }
}
