package io.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.codec.CodecException;
import io.millrace.core.codec.RecordCodec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Messages that end early or consist of other bytes, and codecs that threads share. */
class IncompleteMessagesTest {
  private static final int SEEDS = 3;

  static Stream<Class<? extends Record>> messages() {
    return Messages.table().stream();
  }

  static Stream<RecordCodec> codecs() {
    return Stream.of(Messages.codec(), Messages.archiveCodec(), Messages.graphCodec());
  }

  /** Each prefix, or some of a long one: no part of a message is a message. */
  @ParameterizedTest
  @MethodSource("messages")
  void prefixOfAMessageIsRefused(Class<? extends Record> type) {
    for (int seed = 0; seed < SEEDS; seed++) {
      byte[] whole = Messages.codec().encode(RecordGenerator.ofSeed(seed).record(type));
      int step = Math.max(1, whole.length / 50);
      for (int length = 0; length < whole.length; length += step) {
        byte[] part = Arrays.copyOf(whole, length);
        assertThatThrownBy(() -> Messages.codec().decode(part))
            .as("%s of %s bytes of %s, seed %s", length, whole.length, type, seed)
            .isInstanceOf(CodecException.class);
      }
    }
  }

  /** A part in the middle is missing: lengths and content do not fit, or it is another message. */
  @ParameterizedTest
  @MethodSource("messages")
  void messageWithAGapIsRefusedOrComplete(Class<? extends Record> type) {
    Random random = new Random(type.getName().hashCode());
    byte[] whole = Messages.codec().encode(RecordGenerator.ofSeed(5).record(type));
    for (int i = 0; i < 30 && whole.length > 2; i++) {
      int from = random.nextInt(whole.length - 1);
      int to = from + 1 + random.nextInt(whole.length - from - 1);
      byte[] gap = new byte[whole.length - (to - from)];
      System.arraycopy(whole, 0, gap, 0, from);
      System.arraycopy(whole, to, gap, from, whole.length - to);
      try {
        Record decoded = Messages.codec().decode(gap);
        assertThat(Messages.codec().encode(decoded)).isNotEmpty();
      } catch (CodecException refused) {
        assertThat(refused.getMessage()).as(type.getName()).isNotBlank();
      }
    }
  }

  /** Lengths in random bytes are mostly larger than the message: nothing is allocated for them. */
  @ParameterizedTest
  @MethodSource("codecs")
  void randomBytesCauseNoOtherError(RecordCodec codec) {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 3_000; i++) {
      byte[] bytes = new byte[random.nextInt(200)];
      random.nextBytes(bytes);
      if (bytes.length > 0 && random.nextBoolean()) {
        Arrays.fill(bytes, bytes.length / 2, bytes.length, (byte) 0xff);
      }
      try {
        assertThat(codec.decode(bytes)).isNotNull();
      } catch (CodecException refused) {
        assertThat(refused.getMessage()).as("seed %s", seed).isNotBlank();
      }
    }
  }

  @Test
  void threadsShareACodec() throws Exception {
    List<byte[]> expected = new ArrayList<>();
    List<Class<? extends Record>> types = Messages.table().stream().limit(60).toList();
    for (Class<? extends Record> type : types) {
      expected.add(Messages.codec().encode(RecordGenerator.ofSeed(1).record(type)));
    }
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Callable<Integer>> work = new ArrayList<>();
      for (int thread = 0; thread < 8; thread++) {
        int first = thread;
        work.add(
            () -> {
              int equal = 0;
              for (int i = 0; i < 5 * expected.size(); i++) {
                byte[] bytes = expected.get((first * 7 + i) % expected.size());
                Record decoded = Messages.codec().decode(bytes);
                equal += Arrays.equals(Messages.codec().encode(decoded), bytes) ? 1 : 0;
              }
              return equal;
            });
      }
      for (Future<Integer> done : threads.invokeAll(work, 2, TimeUnit.MINUTES)) {
        assertThat(done.get()).isEqualTo(5 * expected.size());
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
