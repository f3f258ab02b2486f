package io.millrace.core.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.millrace.core.codec.Samples.Everything;
import io.millrace.core.codec.Samples.Numbers;
import io.millrace.core.codec.Samples.Point;
import io.millrace.core.codec.Samples.Tree;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.testing.Behaviour;
import java.io.ByteArrayOutputStream;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class HostileInputTest {
  private static final int MUTATIONS = 200_000;

  private final RecordCodec codec = RecordCodec.of(Samples.TABLE);

  record Flag(boolean value) {}

  record Moment(Instant value) {}

  record Unique(Set<Integer> values) {}

  record Named(Map<Integer, Integer> values) {}

  record Small(short value) {}

  record Colored(Samples.Color value) {}

  record Happened(Samples.Event value) {}

  /** A mutated message that decodes must encode to the same bytes. */
  @Test
  @Timeout(120)
  @Behaviour("I4: bytes that are not a message of the class table are refused")
  void mutatedMessagesDecodeOrFailCleanly() {
    byte[][] originals = new byte[200][];
    for (int i = 0; i < originals.length; i++) {
      originals[i] = codec.encode(new Samples(i).message());
    }
    int decoded = 0;
    for (long seed = 0; seed < MUTATIONS; seed++) {
      byte[] mutated = mutate(originals, new Random(seed));
      try {
        Record message = codec.decode(mutated);
        assertThat(codec.encode(message))
            .as("seed %d, decoded as %s", seed, message)
            .isEqualTo(mutated);
        decoded++;
      } catch (CodecException e) {
        assertThat(e.position()).as("seed %d", seed).isBetween(0, mutated.length);
      } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
        throw new AssertionError("Seed " + seed + ": " + HexFormat.of().formatHex(mutated), e);
      }
    }
    assertThat(decoded).as("both outcomes are exercised").isBetween(1000, MUTATIONS - 1000);
  }

  private static byte[] mutate(byte[][] originals, Random random) {
    byte[] bytes = originals[random.nextInt(originals.length)].clone();
    switch (random.nextInt(6)) {
      case 0 -> {
        return Arrays.copyOf(bytes, random.nextInt(bytes.length));
      }
      case 1 -> {
        return splice(bytes, originals[random.nextInt(originals.length)], random);
      }
      case 2 -> {
        return splice(bytes, new byte[] {-1, -1, -1, -1, (byte) random.nextInt(32)}, random);
      }
      case 3 -> {
        byte[] noise = new byte[random.nextInt(64)];
        random.nextBytes(noise);
        return splice(new byte[] {1, 0}, noise, random);
      }
      default -> {
        for (int i = random.nextInt(3); i >= 0; i--) {
          int at = random.nextInt(bytes.length);
          bytes[at] =
              random.nextBoolean()
                  ? (byte) random.nextInt()
                  : (byte) (bytes[at] ^ 1 << random.nextInt(8));
        }
        return bytes;
      }
    }
  }

  private static byte[] splice(byte[] into, byte[] what, Random random) {
    int at = random.nextInt(into.length);
    ByteArrayOutputStream spliced = new ByteArrayOutputStream();
    spliced.write(into, 0, at);
    spliced.writeBytes(what);
    int skip = at + random.nextInt(into.length - at);
    spliced.write(into, skip, into.length - skip);
    return spliced.toByteArray();
  }

  @Test
  void everyTruncationIsRejected() {
    byte[] bytes = codec.encode(new Samples(3).everything());
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertRefused(() -> codec.decode(cut), "");
    }
  }

  @Test
  void otherVersionIsRejected() {
    byte[] bytes = codec.encode(new Point(1, 2));
    bytes[0] = 2;
    assertRefused(() -> codec.decode(bytes), "version 2 and this process uses version 1");
  }

  @Test
  void trailingBytesAreRejected() {
    byte[] bytes = codec.encode(new Point(1, 2));
    byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
    assertRefused(() -> codec.decode(longer), "1 bytes follow the message");
  }

  @Test
  void messagesAboveTheLimitAreRejected() {
    RecordCodec small = RecordCodec.of(Samples.TABLE, 10);
    assertRefused(() -> small.decode(new byte[11]), "has 11 bytes; the maximum is 10");
  }

  @Test
  void unknownMessageNumberIsRejected() {
    assertRefused(() -> codec.decode(new byte[] {1, 99}), "unknown message number 99");
  }

  @Test
  void valuesOutsideTheirTypeAreRejected() {
    assertRefused(Flag.class, "2 is not a valid boolean", 2);
    assertRefused(Small.class, "more than 16 bits", 0x80, 0x80, 0x04);
    assertRefused(Point.class, "more than 32 bits", 0xff, 0xff, 0xff, 0xff, 0x1f, 0);
    assertRefused(Small.class, "is padded", 0x80, 0);
    assertRefused(
        Moment.class, "more than 64 bits", 255, 255, 255, 255, 255, 255, 255, 255, 255, 2);
    assertRefused(Moment.class, "out of range", 255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0);
    assertRefused(
        Moment.class, "nanoseconds out of range: 1000000000", 0, 0x80, 0x94, 0xeb, 0xdc, 0x03);
    assertRefused(Colored.class, "has no constant 'PINK'", 4, 'P', 'I', 'N', 'K');
    assertRefused(Colored.class, "is not UTF-8", 1, 0xff);
    assertRefused(Happened.class, "has no tag 4", 4, 0);
    assertRefused(Samples.Empty.class, "7 is not a valid empty record", 7);
  }

  @Test
  void duplicatesAreRejected() {
    assertRefused(Unique.class, "an element twice", 2, 5, 5);
    assertRefused(Named.class, "a key twice", 2, 5, 1, 5, 2);
  }

  @Test
  void countsLargerThanTheMessageAreRejectedBeforeAllocation() {
    for (Class<? extends Record> type : List.of(Unique.class, Named.class, Tree.class)) {
      assertRefused(type, "elements do not fit", 0xff, 0xff, 0xff, 0xff, 0x07);
      assertRefused(type, "elements do not fit", 255, 255, 255, 255, 255, 255, 255, 255, 255, 1);
    }
    assertRefused(Numbers.class, "elements do not fit", 0, 0xff, 0xff, 0xff, 0x7f);
    assertRefused(Everything.class, "ends in the middle", 0, 0);
  }

  /** Each nested list claims as many elements as there are bytes. */
  @Test
  void nestedCountsDoNotMultiplyTheAllocatedMemory() {
    byte[] bytes = new byte[RecordCodec.DEFAULT_MAX_BYTES];
    bytes[0] = 1;
    bytes[1] = (byte) Samples.TABLE.indexOf(Tree.class);
    for (int at = 2; at < 1000; at += 4) {
      // An empty label, then about a million children.
      bytes[at + 1] = (byte) 0x80;
      bytes[at + 2] = (byte) 0xc0;
      bytes[at + 3] = 0x3f;
    }
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    assertRefused(() -> codec.decode(bytes), "records are nested deeper than 64");
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(4 << 20);
  }

  private static void assertRefused(Class<? extends Record> type, String message, int... body) {
    RecordCodec codec = RecordCodec.of(List.of(type));
    byte[] bytes = new byte[body.length + 2];
    bytes[0] = 1;
    for (int i = 0; i < body.length; i++) {
      bytes[i + 2] = (byte) body[i];
    }
    assertRefused(() -> codec.decode(bytes), message);
  }

  private static void assertRefused(ThrowingCallable decoding, String message) {
    assertThatThrownBy(decoding)
        .isInstanceOfSatisfying(
            CodecException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.EXTERNAL))
        .hasMessageContaining(message);
  }
}
