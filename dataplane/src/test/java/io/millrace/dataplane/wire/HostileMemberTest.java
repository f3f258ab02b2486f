package io.millrace.dataplane.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.Bytes;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A peer that knows the secret and breaks the rules: it is told how, and its stream is lost. */
class HostileMemberTest {
  private static final Bytes SECRET = Bytes.utf8("the secret of this cluster");
  private static final ByteBufAllocator ALLOC = UnpooledByteBufAllocator.DEFAULT;
  private static final int STREAM = 7;
  private static final int SEGMENT = 4096;

  private final JobId job = JobId.random(new Random(1));
  private final BlockingQueue<String> lost = new LinkedBlockingQueue<>();
  private final NetworkBufferPool pool =
      new NetworkBufferPool(new NetworkMemory(64 << 10, SEGMENT));
  private final LocalBufferPool buffers = pool.reserve(window -> 2).orElseThrow();

  /** Knows one deployment, none of whose channels exists. */
  private final DataTransport server =
      new DataTransport(
          DataPort.loopback(0, SECRET, new NetworkMemory(64 << 10, SEGMENT)),
          (asked, number) ->
              asked.equals(job) && number == 1 ? Optional.of(new Refusing()) : Optional.empty());

  private final class Refusing implements DataTransport.Receiver {
    @Override
    public LocalBufferPool buffers() {
      return buffers;
    }

    @Override
    public boolean data(DataFrame frame) {
      return false;
    }

    @Override
    public boolean barrier(BarrierChannel channel, byte[] request) {
      return false;
    }

    @Override
    public void lost(String from, String why) {
      lost.add(why);
    }
  }

  @AfterEach
  void close() {
    server.close();
  }

  private static byte[] bytes(ByteBuf frame) {
    try {
      return ByteBufUtil.getBytes(frame);
    } finally {
      frame.release();
    }
  }

  private static byte[] data(int length) {
    return bytes(
        Frames.data(
            ALLOC.buffer(),
            STREAM,
            new DataFrameHeader(0, 0, 0, false, DataFrameHeader.NO_CONTROL, 0),
            new byte[length],
            0,
            length));
  }

  private byte[] open(long number) {
    return bytes(Frames.open(ALLOC, STREAM, job, number));
  }

  /** What is sent behind the open stream, and what the peer is told. */
  private Map<String, byte[]> broken() {
    Map<String, byte[]> frames = new LinkedHashMap<>();
    frames.put("it sent records for a channel that does not exist", data(10));
    frames.put(
        "it sent a barrier for a channel that does not exist",
        bytes(Frames.barrier(ALLOC, STREAM, new BarrierChannel(1, 2, 3), new byte[5], 5)));
    frames.put("it opens stream 7 twice", open(1));
    frames.put("it sent 5000 bytes of records in one frame", data(5000));
    frames.put("it sent a frame that is too short", RawConnection.frame(new byte[] {5, 0, 0}));
    frames.put(
        "control must be in 0..4, not 9",
        RawConnection.frame(
            new byte[] {
              Frames.DATA,
              0,
              0,
              0,
              STREAM,
              0,
              0,
              0,
              0,
              0,
              0,
              0,
              0,
              0,
              0,
              0,
              0,
              0,
              9,
              0,
              0,
              0,
              0,
              0,
              0,
              0,
              0
            }));
    frames.put("a frame has 12289 bytes", RawConnection.frame(new byte[12 * 1024 + 1]));
    for (byte type : new byte[] {-1, 0, Frames.HELLO, Frames.OPENED, Frames.CREDIT, 17, 127}) {
      frames.put(
          "it sent an unexpected frame of type " + type,
          RawConnection.frame(new byte[] {type, 0, 0, 0, STREAM}));
    }
    return frames;
  }

  @Test
  @Behaviour("I4: the data port reads at most one buffer of any input and keeps serving")
  void isToldWhatItDidAndLosesItsStream() throws IOException, InterruptedException {
    int free = pool.free();
    for (Map.Entry<String, byte[]> each : broken().entrySet()) {
      try (RawConnection connection = new RawConnection(server.address())) {
        connection.hello();
        connection.send(connection.proof(SECRET), open(1));
        assertThat(connection.next()[0]).isEqualTo(Frames.OPENED);
        connection.send(each.getValue());
        assertThat(new String(connection.rest(), StandardCharsets.UTF_8)).contains(each.getKey());
      }
      assertThat(lost.poll(60, TimeUnit.SECONDS)).contains(each.getKey());
      assertThat(pool.free()).as("buffers after: %s", each.getKey()).isEqualTo(free);
    }
  }

  /** Frames for a stream that is not open, or of a deployment that has ended, are dropped. */
  @Test
  void framesWithoutAStreamAreDropped() throws IOException {
    for (byte[] opening : List.of(open(2), bytes(Frames.ping(ALLOC)))) {
      try (RawConnection connection = new RawConnection(server.address())) {
        connection.hello();
        connection.send(
            connection.proof(SECRET),
            opening,
            data(10),
            bytes(Frames.barrier(ALLOC, STREAM, new BarrierChannel(1, 2, 3), new byte[5], 5)),
            bytes(Frames.close(ALLOC, STREAM)),
            bytes(Frames.close(ALLOC, 99)),
            bytes(Frames.ping(ALLOC)));
        assertThat(connection.next()[0]).isEqualTo(Frames.PONG);
      }
    }
    assertThat(lost).isEmpty();
  }
}
