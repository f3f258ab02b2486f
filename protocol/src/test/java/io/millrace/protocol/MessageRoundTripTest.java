package io.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.millrace.core.Bytes;
import io.millrace.core.codec.CodecException;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.TaskManagerGateway.UpdateTokens;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each message of the table, with generated content, passes the codec unchanged. */
class MessageRoundTripTest {
  private static final int SEEDS = 50;

  static Stream<Class<? extends Record>> messages() {
    return Messages.table().stream();
  }

  @ParameterizedTest
  @MethodSource("messages")
  void decodedMessageIsEqual(Class<? extends Record> type) {
    for (int seed = 0; seed < SEEDS; seed++) {
      Record message = RecordGenerator.ofSeed(seed).record(type);
      assertSame(Messages.codec(), message, seed);
    }
  }

  @Test
  void decodedArchivedJobIsEqual() {
    for (int seed = 0; seed < SEEDS; seed++) {
      assertSame(
          Messages.archiveCodec(), RecordGenerator.ofSeed(seed).record(ArchivedJob.class), seed);
    }
  }

  @ParameterizedTest
  @MethodSource("messages")
  @Behaviour("I4: bytes that are not a message of the class table are refused")
  void rejectsEachTruncation(Class<? extends Record> type) {
    byte[] bytes = Messages.codec().encode(RecordGenerator.ofSeed(7).record(type));
    for (int length = 0; length < bytes.length; length++) {
      if (isDecoded(Arrays.copyOf(bytes, length))) {
        fail("%d of %d bytes of %s are decoded", length, bytes.length, type.getSimpleName());
      }
    }
  }

  @Test
  @Behaviour("I4: bytes that are not a message of the class table are refused")
  void rejectsAMessageAboveTheLimit() {
    UpdateTokens small = RecordGenerator.ofSeed(1).record(UpdateTokens.class);
    UpdateTokens large = withToken(small, RecordCodec.DEFAULT_MAX_BYTES);
    UpdateTokens fits = withToken(small, RecordCodec.DEFAULT_MAX_BYTES - 1_000);

    assertSame(Messages.codec(), fits, 1);
    assertThatThrownBy(() -> Messages.codec().encode(large)).isInstanceOf(MillraceException.class);
    assertThat(RecordCodec.of(Messages.table(), 1 << 22).encode(large))
        .hasSizeGreaterThan(RecordCodec.DEFAULT_MAX_BYTES);
  }

  private static UpdateTokens withToken(UpdateTokens update, int bytes) {
    return new UpdateTokens(
        update.resourceManager(),
        update.instance(),
        List.of(new IssuedToken("hadoopfs", Bytes.wrap(new byte[bytes]))));
  }

  private static void assertSame(RecordCodec codec, Record message, int seed) {
    byte[] bytes = codec.encode(message);
    Record decoded = codec.decode(bytes);

    if (!isSame(message, decoded)) {
      fail("Seed %d: %s is decoded as %s", seed, message, decoded);
    }
    assertThat(codec.encode(decoded)).as("seed %d", seed).isEqualTo(bytes);
  }

  private static boolean isDecoded(byte[] bytes) {
    try {
      Messages.codec().decode(bytes);
      return true;
    } catch (CodecException e) {
      return false;
    }
  }

  /** Compares records with the contents of their arrays. */
  private static boolean isSame(Object expected, Object actual) {
    if (expected.getClass().isArray()) {
      return Objects.deepEquals(expected, actual);
    } else if (expected instanceof Optional<?> optional && optional.isPresent()) {
      return actual instanceof Optional<?> other
          && other.isPresent()
          && isSame(optional.get(), other.get());
    } else if (expected instanceof Map<?, ?> map) {
      return actual instanceof Map<?, ?> other
          && map.keySet().equals(other.keySet())
          && map.keySet().stream().allMatch(key -> isSame(map.get(key), other.get(key)));
    } else if (expected instanceof List<?> list) {
      return actual instanceof List<?> other
          && list.size() == other.size()
          && IntStream.range(0, list.size()).allMatch(i -> isSame(list.get(i), other.get(i)));
    } else if (expected instanceof Record) {
      return expected.getClass() == actual.getClass()
          && Arrays.stream(expected.getClass().getRecordComponents())
              .allMatch(
                  component ->
                      isSame(
                          RecordGenerator.read(component, expected),
                          RecordGenerator.read(component, actual)));
    }
    return expected.equals(actual);
  }
}
