package io.millrace.core.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.Bytes;
import io.millrace.core.codec.Samples.Boxes;
import io.millrace.core.codec.Samples.Empty;
import io.millrace.core.codec.Samples.Envelope;
import io.millrace.core.codec.Samples.EvenOnly;
import io.millrace.core.codec.Samples.Everything;
import io.millrace.core.codec.Samples.Numbers;
import io.millrace.core.codec.Samples.Pair;
import io.millrace.core.codec.Samples.Point;
import io.millrace.core.codec.Samples.Tree;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class RecordCodecTest {
  private final RecordCodec codec = RecordCodec.of(Samples.TABLE);

  record Outer<T>(Inner<Optional<T>> inner) {}

  record Inner<T>(List<? extends T> values) {}

  record Letter(Outer<Point> outer, Pair<String, Pair<Long, Empty>> pair) {}

  record Order(Set<String> set, Map<String, Integer> map) {}

  record Wire<T extends Record>(T body) {}

  @Test
  void checkAllAcceptsEveryTypeOfTheSamples() {
    codec.checkAll();
  }

  @Test
  void fingerprintChangesWithTheSchema() {
    record Same(int count) {}
    record Wider(long count) {}
    record Holder(Same same) {}
    record WiderHolder(Wider same) {}
    long holder = RecordCodec.of(List.of(Holder.class)).fingerprint();

    assertThat(RecordCodec.of(List.of(Holder.class), 10).fingerprint()).isEqualTo(holder);
    assertThat(RecordCodec.of(List.of(WiderHolder.class)).fingerprint()).isNotEqualTo(holder);
    assertThat(RecordCodec.of(List.of(Holder.class, Same.class)).fingerprint())
        .isNotEqualTo(holder);
  }

  @Test
  void randomMessagesRoundTrip() {
    for (long seed = 0; seed < 2000; seed++) {
      Record message = new Samples(seed).message();
      byte[] bytes = codec.encode(message);
      Record decoded = codec.decode(bytes);
      if (message instanceof Numbers numbers) {
        assertSameNumbers(seed, numbers, (Numbers) decoded);
      } else {
        assertThat(decoded).as("seed %d", seed).isEqualTo(message);
      }
      assertThat(codec.encode(decoded)).as("seed %d", seed).isEqualTo(bytes);
    }
  }

  private static void assertSameNumbers(long seed, Numbers expected, Numbers actual) {
    assertThat(actual.bytes()).as("seed %d", seed).isEqualTo(expected.bytes());
    assertThat(actual.ints()).as("seed %d", seed).isEqualTo(expected.ints());
    assertThat(actual.longs()).as("seed %d", seed).isEqualTo(expected.longs());
  }

  @Test
  void extremeNumbersRoundTrip() {
    assertReturns(
        new Boxes(
            false,
            Byte.MIN_VALUE,
            Short.MIN_VALUE,
            Integer.MIN_VALUE,
            Long.MIN_VALUE,
            Float.NaN,
            -0.0));
    assertReturns(
        new Boxes(
            true,
            Byte.MAX_VALUE,
            Short.MAX_VALUE,
            Integer.MAX_VALUE,
            Long.MAX_VALUE,
            Float.NEGATIVE_INFINITY,
            Double.MIN_VALUE));
    assertReturns(new Boxes(true, (byte) 0, (short) 0, 0, 0L, 0f, 0.0));
  }

  @Test
  void smallNumbersTakeOneByte() {
    assertThat(codec.encode(new Point(-1, 63))).hasSize(4);
  }

  @Test
  void typeArgumentsAreResolvedWhereTheRecordIsUsed() {
    RecordCodec letters = RecordCodec.of(List.of(Letter.class));
    Letter letter =
        new Letter(
            new Outer<>(new Inner<>(List.of(Optional.of(new Point(1, 2)), Optional.empty()))),
            new Pair<>("a", new Pair<>(7L, new Empty())));
    letters.checkAll();
    assertThat(letters.decode(letters.encode(letter))).isEqualTo(letter);
  }

  @Test
  void recordComponentCarriesAnyClassOfTheTable() {
    Envelope inner = new Envelope(1, new Point(1, 2), List.of());
    assertReturns(new Envelope(2, inner, List.of(inner, new Empty(), new Tree("t", List.of()))));
  }

  @Test
  void variableBoundToRecordStandsForTheTable() {
    RecordCodec wires = RecordCodec.of(List.of(Wire.class, Point.class));
    Wire<Point> wire = new Wire<>(new Point(3, 4));
    assertThat(wires.decode(wires.encode(wire))).isEqualTo(wire);
  }

  @Test
  void recordOutsideTheTableIsRejectedInARecordComponent() {
    Envelope envelope = new Envelope(1, new Pair<>("a", "b"), List.of());
    assertThatThrownBy(() -> codec.encode(envelope))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("Samples$Pair is not in the class table");
  }

  @Test
  void messageOutsideTheTableIsRejected() {
    assertThatThrownBy(() -> codec.encode(new Outer<>(new Inner<Optional<Point>>(List.of()))))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("RecordCodecTest$Outer is not in the class table");
  }

  @Test
  void setsAndMapsKeepTheirOrder() {
    RecordCodec orders = RecordCodec.of(List.of(Order.class));
    List<String> names = List.of("z", "a", "m", "b", "q");
    Map<String, Integer> map = new LinkedHashMap<>();
    names.forEach(name -> map.put(name, name.length()));
    Order decoded =
        orders.decode(
            Order.class, Bytes.wrap(orders.encode(new Order(new LinkedHashSet<>(names), map))));
    assertThat(decoded.set()).containsExactlyElementsOf(names);
    assertThat(decoded.map().keySet()).containsExactlyElementsOf(names);
  }

  @Test
  void valuesOfTheEngineRoundTrip() {
    RecordCodec values = RecordCodec.of(List.of(Configuration.class, Failure.class));
    values.checkAll();
    Configuration configuration = Configuration.EMPTY.with(TaskManagerOptions.NUM_TASK_SLOTS, 4);
    Failure failure = Failure.of(new IllegalStateException("broken"), ErrorKind.BUG);
    assertThat(values.decode(values.encode(configuration))).isEqualTo(configuration);
    assertThat(values.decode(values.encode(failure))).isEqualTo(failure);
  }

  @Test
  void unpairedSurrogateBecomesAQuestionMark() {
    Tree decoded = (Tree) codec.decode(codec.encode(new Tree("cut \ud83d", List.of())));
    assertThat(decoded.label()).isEqualTo("cut ?");
  }

  @Test
  void buffersAreReadFromTheirPosition() {
    byte[] bytes = codec.encode(new Point(5, 6));
    byte[] padded = new byte[bytes.length + 3];
    System.arraycopy(bytes, 0, padded, 3, bytes.length);
    ByteBuffer heap = ByteBuffer.wrap(padded, 3, bytes.length).slice();
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    for (ByteBuffer buffer : List.of(heap, heap.rewind().asReadOnlyBuffer(), direct)) {
      assertThat(codec.decode(buffer)).isEqualTo(new Point(5, 6));
      assertThat(buffer.hasRemaining()).isFalse();
    }
  }

  @Test
  void unexpectedClassIsRejected() {
    Bytes bytes = Bytes.wrap(codec.encode(new Point(1, 2)));
    assertThat(codec.decode(Point.class, bytes)).isEqualTo(new Point(1, 2));
    assertThatThrownBy(() -> codec.decode(Tree.class, bytes))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("Samples$Tree, but found")
        .hasMessageContaining("Samples$Point");
  }

  @Test
  void nullsAreRejectedWithTheNameOfTheComponent() {
    assertThatThrownBy(() -> codec.encode(new Tree(null, List.of())))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("Tree.label is null or contains null");
    assertThatThrownBy(() -> codec.encode(new Tree("a", Arrays.asList((Tree) null))))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("Tree.children is null or contains null");
  }

  @Test
  void messagesAboveTheLimitAreNotEncoded() {
    RecordCodec small = RecordCodec.of(Samples.TABLE, 100);
    assertThat(small.encode(new Tree("x".repeat(90), List.of()))).hasSizeLessThanOrEqualTo(100);
    assertThatThrownBy(() -> small.encode(new Tree("x".repeat(100), List.of())))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("Samples$Tree is larger than the maximum of 100 bytes");
  }

  @Test
  void recordsNestUpToTheLimit() {
    assertReturns(chain(RecordCodec.MAX_DEPTH));
    assertThatThrownBy(() -> codec.encode(chain(RecordCodec.MAX_DEPTH + 1)))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("nested deeper than 64");
  }

  private static Tree chain(int length) {
    Tree tree = new Tree("leaf", List.of());
    for (int i = 1; i < length; i++) {
      tree = new Tree("", List.of(tree));
    }
    return tree;
  }

  @Test
  void constructorThatThrowsIsTheCauseOfACodecException() {
    byte[] bytes = codec.encode(new EvenOnly(2));
    bytes[bytes.length - 1] = 2; // 1 in zigzag encoding
    assertThatThrownBy(() -> codec.decode(bytes))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("1 is odd")
        .hasCauseInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void tableWithADuplicateIsRejected() {
    assertThatThrownBy(() -> RecordCodec.of(List.of(Point.class, Point.class)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Point is in the table twice");
  }

  @Test
  void newCodecIsThreadSafe() throws Exception {
    Everything message = new Samples(1).everything();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<Record>> answers = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        answers.add(threads.submit(() -> codec.decode(codec.encode(message))));
      }
      for (Future<Record> answer : answers) {
        assertThat(answer.get()).isEqualTo(message);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private void assertReturns(Record message) {
    assertThat(codec.decode(codec.encode(message))).isEqualTo(message);
  }
}
