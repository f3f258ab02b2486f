package io.millrace.dataplane.wire;

import io.millrace.core.Bytes;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.secret.SecretProof;
import io.millrace.dataplane.partition.PartitionChunk;
import io.millrace.task.ClusterPartition;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * The frame format of data connections: a head, a type, and a body that depends on the type. The
 * host of the producer sends HELLO, PROOF, OPEN, DATA, BARRIER, CLOSE and PING. The host of the
 * consumer sends CHALLENGE or BUSY, OPENED, CREDIT, SPLIT_REQUEST, ERROR and PONG. The reader of a
 * cluster partition sends FETCH and gets PART or ERROR.
 *
 * <p>The head contains the length of the rest, a word that combines the length with the number of
 * the frame on the connection, and a checksum of the rest. TCP's checksum misses one error in tens
 * of thousands, and a proxy may cut or repeat bytes; neither must become a record. The decoder
 * checks the second word before it uses the length, because it would wait for the bytes of a wrong
 * length.
 */
final class Frames {
  static final byte HELLO = 1;
  static final byte CHALLENGE = 2;
  static final byte OPEN = 3;
  static final byte OPENED = 4;
  static final byte DATA = 5;
  static final byte CREDIT = 6;
  static final byte ERROR = 7;
  static final byte CLOSE = 8;
  static final byte PROOF = 9;
  static final byte FETCH = 10;
  static final byte PART = 11;
  static final byte PING = 12;
  static final byte PONG = 13;
  static final byte BUSY = 14;
  static final byte SPLIT_REQUEST = 15;
  static final byte BARRIER = 16;

  /** The stream id of frames that concern the whole connection. */
  static final int CONNECTION = 0;

  static final String PROTOCOL = "millrace.Data";

  static final int MAGIC = 0x4d4c5243;
  static final byte VERSION = 6;

  /** The maximum length of a frame before the peer has proved that it knows the secret. */
  static final int MAX_HELLO = 1024;

  /** The maximum length of a frame without records; one with records fits into a buffer. */
  static final int MAX_CONTROL = 12 << 10;

  /** The length of the head, which precedes the type. */
  static final int HEAD = 4 + 4 + 4;

  private static final int NUMBERED = 4;
  private static final int SUM = 8;
  private static final int MAX_TEXT = 4096;
  private static final int DATA_HEADER = 4 + 4 + 4 + 4 + 1 + 1 + 8;

  private static final int PART_HEADER = 4 + 1;

  /** The bytes of a PART frame besides head and chunk. */
  static final int PART_OVERHEAD = 1 + PART_HEADER;

  /** The bytes of a DATA frame besides the payload. */
  static final int DATA_OVERHEAD = HEAD + 1 + DATA_HEADER;

  private Frames() {}

  private static ByteBuf frame(ByteBufAllocator alloc, byte type, int body) {
    return begin(alloc.buffer(HEAD + 1 + body), type, body);
  }

  private static ByteBuf begin(ByteBuf out, byte type, int body) {
    return out.writeInt(1 + body).writeInt(0).writeInt(0).writeByte(type);
  }

  /** Sets the checksum of a frame; {@link FrameEncoder} sets its number. */
  private static ByteBuf sealed(ByteBuf frame) {
    return frame.setInt(SUM, sum(frame, HEAD, frame.readableBytes() - HEAD));
  }

  /** Sets the number of a frame on its connection. */
  static ByteBuf numbered(ByteBuf frame, int number) {
    return frame.setInt(NUMBERED, numbered(frame.getInt(0), number));
  }

  private static int numbered(int length, int number) {
    return Integer.reverse(length) ^ number * 0x9e3779b9;
  }

  /** Whether the head at the reader index belongs to the frame with this number. */
  static boolean isNumbered(ByteBuf in, int number) {
    int start = in.readerIndex();
    return in.getInt(start + NUMBERED) == numbered(in.getInt(start), number);
  }

  /** Whether the frame at the reader index has the checksum in its head. */
  static boolean isSealed(ByteBuf in, int length) {
    int start = in.readerIndex();
    return in.getInt(start + SUM) == sum(in, start + HEAD, length);
  }

  private static int sum(ByteBuf buffer, int from, int length) {
    CRC32C sum = new CRC32C();
    sum.update(buffer.nioBuffer(from, length));
    return (int) sum.getValue();
  }

  /** Refuses a connection because too many handshakes are pending; the client may try again. */
  static ByteBuf busy(ByteBufAllocator alloc) {
    return sealed(frame(alloc, BUSY, 0));
  }

  static ByteBuf hello(ByteBufAllocator alloc, Bytes nonce, String caller, String called) {
    byte[] from = caller.getBytes(StandardCharsets.UTF_8);
    byte[] to = called.getBytes(StandardCharsets.UTF_8);
    return sealed(
        frame(alloc, HELLO, 4 + 1 + nonce.length() + 2 + from.length + to.length)
            .writeInt(MAGIC)
            .writeByte(VERSION)
            .writeBytes(nonce.unsafeArray())
            .writeShort(from.length)
            .writeBytes(from)
            .writeBytes(to));
  }

  /** Reads a HELLO frame after the version. */
  static SecretProof.Meeting readHello(ByteBuf in, Bytes calledNonce) {
    Bytes nonce = readBytes(in, SecretProof.NONCE_BYTES);
    String caller = in.readString(in.readUnsignedShort(), StandardCharsets.UTF_8);
    String called = in.readString(in.readableBytes(), StandardCharsets.UTF_8);
    return meeting(caller, called, nonce, calledNonce);
  }

  static SecretProof.Meeting meeting(
      String caller, String called, Bytes callerNonce, Bytes calledNonce) {
    return new SecretProof.Meeting(PROTOCOL, VERSION, caller, called, callerNonce, calledNonce);
  }

  static ByteBuf challenge(ByteBufAllocator alloc, Bytes nonce, Bytes proof) {
    return sealed(
        frame(alloc, CHALLENGE, nonce.length() + proof.length())
            .writeBytes(nonce.unsafeArray())
            .writeBytes(proof.unsafeArray()));
  }

  static ByteBuf proof(ByteBufAllocator alloc, Bytes proof) {
    return sealed(frame(alloc, PROOF, proof.length()).writeBytes(proof.unsafeArray()));
  }

  static Bytes readBytes(ByteBuf in, int length) {
    byte[] bytes = new byte[length];
    in.readBytes(bytes);
    return Bytes.wrap(bytes);
  }

  static ByteBuf open(ByteBufAllocator alloc, int stream, JobId job, long number) {
    return sealed(
        frame(alloc, OPEN, 4 + 16 + 8)
            .writeInt(stream)
            .writeLong(job.value().high())
            .writeLong(job.value().low())
            .writeLong(number));
  }

  static JobId readJob(ByteBuf in) {
    return new JobId(new Id128(in.readLong(), in.readLong()));
  }

  /**
   * @param window the maximum number of frames in flight on a channel
   * @param segment the size of the consumer's buffers
   */
  static ByteBuf opened(ByteBufAllocator alloc, int stream, int window, int segment) {
    return sealed(frame(alloc, OPENED, 12).writeInt(stream).writeInt(window).writeInt(segment));
  }

  static ByteBuf close(ByteBufAllocator alloc, int stream) {
    return sealed(frame(alloc, CLOSE, 4).writeInt(stream));
  }

  static ByteBuf ping(ByteBufAllocator alloc) {
    return sealed(frame(alloc, PING, 4).writeInt(CONNECTION));
  }

  static ByteBuf pong(ByteBufAllocator alloc) {
    return sealed(frame(alloc, PONG, 4).writeInt(CONNECTION));
  }

  /** Reports the error of a stream or of the {@link #CONNECTION}. */
  static ByteBuf error(ByteBufAllocator alloc, int stream, String message) {
    byte[] text = message.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(text.length, MAX_TEXT);
    return sealed(frame(alloc, ERROR, 4 + length).writeInt(stream).writeBytes(text, 0, length));
  }

  /**
   * @param most the maximum number of bytes in the answer
   */
  static ByteBuf fetch(
      ByteBufAllocator alloc, int stream, ClusterPartition partition, long offset, int most) {
    return sealed(
        frame(alloc, FETCH, 4 + 16 + 16 + 8 + 4 + 4 + 8 + 4)
            .writeInt(stream)
            .writeLong(partition.dataSet().value().high())
            .writeLong(partition.dataSet().value().low())
            .writeLong(partition.producer().value().high())
            .writeLong(partition.producer().value().low())
            .writeLong(partition.term())
            .writeInt(partition.index())
            .writeInt(partition.total())
            .writeLong(offset)
            .writeInt(most));
  }

  static ClusterPartition readPartition(ByteBuf in) {
    DataSetId dataSet = new DataSetId(new Id128(in.readLong(), in.readLong()));
    return new ClusterPartition(dataSet, readJob(in), in.readLong(), in.readInt(), in.readInt());
  }

  static ByteBuf part(ByteBufAllocator alloc, int stream, PartitionChunk part) {
    return sealed(
        frame(alloc, PART, PART_HEADER + part.bytes().length)
            .writeInt(stream)
            .writeBoolean(part.last())
            .writeBytes(part.bytes()));
  }

  /** Reads a PART frame after the stream id. */
  static PartitionChunk readPart(ByteBuf in) {
    boolean last = in.readBoolean();
    byte[] bytes = new byte[in.readableBytes()];
    in.readBytes(bytes);
    return new PartitionChunk(bytes, last);
  }

  static String readText(ByteBuf in) {
    int length = Math.min(in.readableBytes(), MAX_TEXT);
    return in.readCharSequence(length, StandardCharsets.UTF_8).toString();
  }

  /** Writes a DATA frame into an empty buffer. */
  static ByteBuf data(
      ByteBuf buffer, int stream, DataFrameHeader header, byte[] payload, int from, int length) {
    return sealed(
        begin(buffer, DATA, DATA_HEADER + length)
            .writeInt(stream)
            .writeInt(header.edge())
            .writeInt(header.producer())
            .writeInt(header.consumer())
            .writeBoolean(header.more())
            .writeByte(header.control())
            .writeLong(header.value())
            .writeBytes(payload, from, length));
  }

  /**
   * A checkpoint barrier. It needs no credit and takes no network buffer, so that it overtakes
   * frames that wait for one.
   */
  static ByteBuf barrier(
      ByteBufAllocator alloc, int stream, BarrierChannel channel, byte[] request, int length) {
    return sealed(
        frame(alloc, BARRIER, 4 + 4 + 4 + 4 + length)
            .writeInt(stream)
            .writeInt(channel.edge())
            .writeInt(channel.producer())
            .writeInt(channel.consumer())
            .writeBytes(request, 0, length));
  }

  static BarrierChannel readBarrierChannel(ByteBuf in) {
    return new BarrierChannel(in.readInt(), in.readInt(), in.readInt());
  }

  static DataFrameHeader readHeader(ByteBuf in) {
    return new DataFrameHeader(
        in.readInt(), in.readInt(), in.readInt(), in.readBoolean(), in.readByte(), in.readLong());
  }

  static ByteBuf credit(ByteBufAllocator alloc, int stream, DataFrameHeader header, int count) {
    return sealed(
        frame(alloc, CREDIT, 20)
            .writeInt(stream)
            .writeInt(header.edge())
            .writeInt(header.producer())
            .writeInt(header.consumer())
            .writeInt(count));
  }

  /**
   * @param total the number of splits that the consumer has asked the producer for
   */
  static ByteBuf splitRequest(
      ByteBufAllocator alloc, int stream, DataFrameHeader header, long total) {
    return sealed(
        frame(alloc, SPLIT_REQUEST, 24)
            .writeInt(stream)
            .writeInt(header.edge())
            .writeInt(header.producer())
            .writeInt(header.consumer())
            .writeLong(total));
  }
}
