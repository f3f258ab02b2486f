package io.millrace.dataplane.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.Bytes;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.secret.SecretProof;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.partition.PartitionChunk;
import io.millrace.task.ClusterPartition;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Frames on their way through a connection that cuts, repeats, loses and changes bytes. */
class FrameDecoderTest {
  private static final ByteBufAllocator ALLOC = UnpooledByteBufAllocator.DEFAULT;
  private static final JobId JOB = new JobId(new Id128(3, -4));
  private static final ClusterPartition PARTITION =
      new ClusterPartition(new DataSetId(new Id128(-1, 2)), JOB, Long.MAX_VALUE, 2, 3);

  /** Frames of every type. */
  private static List<ByteBuf> frames(Random random) {
    Bytes nonce = Bytes.wrap(new byte[SecretProof.NONCE_BYTES]);
    byte[] payload = new byte[random.nextInt(2_000)];
    random.nextBytes(payload);
    DataFrameHeader header = new DataFrameHeader(1, 2, 3, true, DataFrameHeader.WATERMARK, -7);
    return List.of(
        Frames.hello(ALLOC, nonce, "me:1", "you:2"),
        Frames.challenge(ALLOC, nonce, nonce),
        Frames.proof(ALLOC, nonce),
        Frames.busy(ALLOC),
        Frames.open(ALLOC, 5, JOB, -6),
        Frames.opened(ALLOC, 5, 8, 4096),
        Frames.data(ALLOC.buffer(), 5, header, payload, 0, payload.length),
        Frames.barrier(ALLOC, 5, new BarrierChannel(1, 2, 3), payload, payload.length),
        Frames.credit(ALLOC, 5, header, 9),
        Frames.splitRequest(ALLOC, 5, header, 1L << 40),
        Frames.fetch(ALLOC, 5, PARTITION, 77, 1000),
        Frames.part(ALLOC, 5, new PartitionChunk(payload, true)),
        Frames.error(ALLOC, 5, "gr\u00f6\u00dfer"),
        Frames.ping(ALLOC),
        Frames.pong(ALLOC),
        Frames.close(ALLOC, 5));
  }

  /** The bytes of frames in the order in which a connection sends them. */
  private static byte[] stream(List<ByteBuf> frames, List<byte[]> bodies) {
    EmbeddedChannel channel = new EmbeddedChannel(new FrameEncoder());
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    for (ByteBuf frame : frames) {
      bodies.add(ByteBufUtil.getBytes(frame, Frames.HEAD, frame.readableBytes() - Frames.HEAD));
      channel.writeOutbound(frame);
      ByteBuf sent = channel.readOutbound();
      stream.writeBytes(ByteBufUtil.getBytes(sent));
      sent.release();
    }
    channel.finishAndReleaseAll();
    return stream.toByteArray();
  }

  private static EmbeddedChannel decoding(int maxLength) {
    FrameDecoder decoder = new FrameDecoder();
    decoder.maxLength(maxLength);
    return new EmbeddedChannel(decoder);
  }

  private static List<byte[]> received(EmbeddedChannel channel) {
    List<byte[]> bodies = new ArrayList<>();
    ByteBuf frame;
    while ((frame = channel.readInbound()) != null) {
      bodies.add(ByteBufUtil.getBytes(frame));
      frame.release();
    }
    return bodies;
  }

  @Test
  void framesArriveHoweverTheirBytesAreDivided() {
    for (long seed = 1; seed <= 100; seed++) {
      Random random = new Random(seed);
      List<byte[]> sent = new ArrayList<>();
      byte[] stream = stream(frames(random), sent);
      EmbeddedChannel channel = decoding(Frames.MAX_CONTROL);
      List<byte[]> received = new ArrayList<>();
      int most = 1 + random.nextInt(random.nextBoolean() ? 7 : 3_000);
      for (int at = 0; at < stream.length; ) {
        int end = Math.min(stream.length, at + 1 + random.nextInt(most));
        channel.writeInbound(Unpooled.copiedBuffer(stream, at, end - at));
        received.addAll(received(channel));
        at = end;
      }
      assertThat(received).as("seed %s", seed).hasSameSizeAs(sent);
      for (int i = 0; i < sent.size(); i++) {
        assertThat(received.get(i)).as("seed %s, frame %s", seed, i).isEqualTo(sent.get(i));
      }
      assertThat(channel.finishAndReleaseAll()).isFalse();
    }
  }

  /** What is decoded of damaged bytes is the frames before the damage, and nothing else. */
  @Test
  @Behaviour("I4: the data port reads at most one buffer of any input and keeps serving")
  void nothingIsDecodedFromTheFirstDamageOn() {
    int noticed = 0;
    for (long seed = 1; seed <= 1_500; seed++) {
      Random random = new Random(seed);
      List<byte[]> sent = new ArrayList<>();
      byte[] stream = stream(frames(random), sent);
      byte[] damaged = damaged(random, stream);
      EmbeddedChannel channel = decoding(Frames.MAX_CONTROL);
      boolean refused = false;
      for (int at = 0; at < damaged.length; at += 500) {
        int length = Math.min(500, damaged.length - at);
        try {
          channel.writeInbound(Unpooled.copiedBuffer(damaged, at, length));
        } catch (DecoderException e) {
          assertThat(refused).as("it complains once, seed %s", seed).isFalse();
          refused = true;
          assertThat(WireErrors.sentence(e)).doesNotContain("Exception");
        }
      }
      List<byte[]> received = received(channel);
      int same = Arrays.mismatch(stream, damaged);
      assertThat(received.size()).as("seed %s", seed).isLessThanOrEqualTo(sent.size());
      int at = 0;
      for (int i = 0; i < received.size(); i++) {
        assertThat(received.get(i)).as("seed %s", seed).isEqualTo(sent.get(i));
        at += Frames.HEAD + sent.get(i).length;
      }
      if (same >= 0) {
        assertThat(at).as("no frame behind the damage, seed %s", seed).isLessThanOrEqualTo(same);
      }
      noticed += refused ? 1 : 0;
      channel.finishAndReleaseAll();
    }
    assertThat(noticed).isGreaterThan(1_000);
  }

  private static byte[] damaged(Random random, byte[] stream) {
    int from = random.nextInt(stream.length);
    int to = Math.min(stream.length, from + 1 + random.nextInt(40));
    return switch (random.nextInt(4)) {
      // a changed bit
      case 0 -> {
        byte[] changed = stream.clone();
        changed[from] ^= (byte) (1 << random.nextInt(8));
        yield changed;
      }
      // lost bytes
      case 1 -> joined(Arrays.copyOf(stream, from), Arrays.copyOfRange(stream, to, stream.length));
      // repeated bytes
      case 2 -> joined(Arrays.copyOf(stream, to), Arrays.copyOfRange(stream, from, stream.length));
      // other bytes
      default -> {
        byte[] noise = new byte[1 + random.nextInt(30)];
        random.nextBytes(noise);
        yield joined(
            joined(Arrays.copyOf(stream, from), noise),
            Arrays.copyOfRange(stream, from, stream.length));
      }
    };
  }

  private static byte[] joined(byte[] one, byte[] other) {
    byte[] both = Arrays.copyOf(one, one.length + other.length);
    System.arraycopy(other, 0, both, one.length, other.length);
    return both;
  }

  /** A whole frame that comes twice, or before its turn, has a wrong number. */
  @Test
  void wholeFramesThatAreRepeatedOrLostAreNoticed() {
    List<byte[]> bodies = new ArrayList<>();
    byte[] stream =
        stream(List.of(Frames.ping(ALLOC), Frames.pong(ALLOC), Frames.close(ALLOC, 1)), bodies);
    int first = Frames.HEAD + bodies.get(0).length;
    int second = first + Frames.HEAD + bodies.get(1).length;
    for (byte[] wrong :
        List.of(
            joined(Arrays.copyOf(stream, second), Arrays.copyOfRange(stream, first, stream.length)),
            joined(
                Arrays.copyOf(stream, first), Arrays.copyOfRange(stream, second, stream.length)))) {
      EmbeddedChannel channel = decoding(1024);
      assertThatThrownBy(() -> channel.writeInbound(Unpooled.copiedBuffer(wrong)))
          .hasMessageContaining("bytes were lost or changed in transit");
      channel.finishAndReleaseAll();
    }
  }

  /** The head of a frame with the right number. */
  private static byte[] head(int length) {
    return RawConnection.numbered(ByteBuffer.allocate(Frames.HEAD + 8).putInt(length).array(), 0);
  }

  @Test
  void lengthsBeyondTheMaximumAreRefusedBeforeTheyAreWaitedFor() {
    for (int length : new int[] {0, -1, Integer.MIN_VALUE, 101, 1 << 30, Integer.MAX_VALUE}) {
      EmbeddedChannel channel = decoding(100);
      assertThatThrownBy(() -> channel.writeInbound(Unpooled.copiedBuffer(head(length))))
          .hasMessageContaining("a frame has " + length + " bytes; the maximum is 100");
      channel.writeInbound(Unpooled.copiedBuffer(head(5)));
      assertThat(received(channel)).as("all further bytes are ignored").isEmpty();
      channel.finishAndReleaseAll();
    }
    EmbeddedChannel waits = decoding(100);
    waits.writeInbound(Unpooled.copiedBuffer(head(100)));
    assertThat(received(waits)).isEmpty();
    waits.finishAndReleaseAll();
    EmbeddedChannel tls = new EmbeddedChannel(new FrameDecoder());
    byte[] hello = new byte[20];
    hello[0] = 0x16;
    hello[1] = 0x03;
    assertThatThrownBy(() -> tls.writeInbound(Unpooled.copiedBuffer(hello)))
        .hasMessageContaining("it speaks TLS, this process does not");
    tls.finishAndReleaseAll();
  }

  // --- the content of frames

  private static ByteBuf body(ByteBuf frame) {
    assertThat(frame.getInt(0)).isEqualTo(frame.readableBytes() - Frames.HEAD);
    return frame.skipBytes(Frames.HEAD);
  }

  private static void assertBegins(ByteBuf frame, byte type, int stream) {
    assertThat(frame.readByte()).isEqualTo(type);
    assertThat(frame.readInt()).isEqualTo(stream);
  }

  @Test
  void framesAreReadAsTheyWereWritten() {
    DataFrameHeader header =
        new DataFrameHeader(Integer.MAX_VALUE, 0, -1, true, DataFrameHeader.ACTIVE, Long.MIN_VALUE);
    byte[] payload = {9, 1, 2, 3, 9};
    ByteBuf data = body(Frames.data(ALLOC.buffer(), -5, header, payload, 1, 3));
    assertBegins(data, Frames.DATA, -5);
    assertThat(Frames.readHeader(data)).isEqualTo(header);
    assertThat(ByteBufUtil.getBytes(data)).containsExactly(1, 2, 3);
    data.release();

    ByteBuf fetch = body(Frames.fetch(ALLOC, 7, PARTITION, 1L << 40, 99));
    assertBegins(fetch, Frames.FETCH, 7);
    assertThat(Frames.readPartition(fetch)).isEqualTo(PARTITION);
    assertThat(fetch.readLong()).isEqualTo(1L << 40);
    assertThat(fetch.readInt()).isEqualTo(99);
    assertThat(fetch.isReadable()).isFalse();
    fetch.release();

    ByteBuf part = body(Frames.part(ALLOC, 7, new PartitionChunk(payload, false)));
    assertBegins(part, Frames.PART, 7);
    PartitionChunk chunk = Frames.readPart(part);
    assertThat(chunk.bytes()).isEqualTo(payload);
    assertThat(chunk.last()).isFalse();
    part.release();

    ByteBuf open = body(Frames.open(ALLOC, 7, JOB, -9));
    assertBegins(open, Frames.OPEN, 7);
    assertThat(Frames.readJob(open)).isEqualTo(JOB);
    assertThat(open.readLong()).isEqualTo(-9);
    open.release();

    ByteBuf barrier = body(Frames.barrier(ALLOC, 7, new BarrierChannel(4, 5, 6), payload, 2));
    assertBegins(barrier, Frames.BARRIER, 7);
    assertThat(Frames.readBarrierChannel(barrier)).isEqualTo(new BarrierChannel(4, 5, 6));
    assertThat(ByteBufUtil.getBytes(barrier)).containsExactly(9, 1);
    barrier.release();
  }

  @Test
  void longTextsOfErrorsAreCut() {
    for (int length : new int[] {0, 1, 4096, 4097, 100_000}) {
      ByteBuf error = body(Frames.error(ALLOC, 3, "x".repeat(length)));
      assertBegins(error, Frames.ERROR, 3);
      assertThat(Frames.readText(error)).isEqualTo("x".repeat(Math.min(length, 4096)));
      error.release();
    }
    ByteBuf endless = Unpooled.wrappedBuffer("y".repeat(10_000).getBytes(StandardCharsets.UTF_8));
    assertThat(Frames.readText(endless)).hasSize(4096);
  }

  @Test
  void controlElementsThatDoNotExistAreRefused() {
    for (int control : new int[] {-1, 5, 127}) {
      ByteBuf in = Unpooled.buffer().writeZero(12).writeBoolean(false).writeByte(control);
      in.writeLong(0);
      assertThatThrownBy(() -> Frames.readHeader(in)).hasMessageContaining("not " + control);
    }
    for (int index : new int[] {-1, 3}) {
      ByteBuf in = Unpooled.buffer().writeZero(32).writeLong(1).writeInt(index).writeInt(3);
      assertThatThrownBy(() -> Frames.readPartition(in)).hasMessageContaining("index");
    }
  }
}
