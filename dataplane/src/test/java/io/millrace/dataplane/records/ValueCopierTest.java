package io.millrace.dataplane.records;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a program may change in place is copied for a snapshot; nothing else is. */
class ValueCopierTest {
  private final ValueCopier copier =
      new ValueCopier(
          new CodecPool(
              () -> new RecordBatchCodec(ValueCopierTest.class.getClassLoader(), Runnable::run)));

  enum Kind {
    ONE,
    TWO {
      @Override
      public String toString() {
        return "two";
      }
    }
  }

  record Plain(int number, String text, Kind kind, LocalDate date, UUID id) {}

  record Nested(Plain plain, long number) {}

  record WithList(List<String> words) {}

  record WithArray(int[] numbers) {}

  record WithObject(Object any) {}

  record Chain(int number, Chain next) {}

  static class Counter {
    int count;

    @Override
    public boolean equals(Object other) {
      return other instanceof Counter that && that.count == count;
    }

    @Override
    public int hashCode() {
      return count;
    }
  }

  @Test
  void valuesThatCannotChangeAreNotCopied() {
    Plain plain = new Plain(1, "a", Kind.TWO, LocalDate.EPOCH, new UUID(1, 2));
    for (Object value :
        Arrays.asList(
            "text",
            1,
            2L,
            (byte) 3,
            (short) 4,
            'c',
            true,
            1.5,
            2.5f,
            BigDecimal.ONE,
            BigInteger.TEN,
            Duration.ZERO,
            Kind.ONE,
            Kind.TWO,
            plain,
            new Nested(plain, 1),
            null)) {
      assertThat(copier.apply(value)).isSameAs(value);
      assertThat(copier.apply(value)).as("asked again").isSameAs(value);
    }
  }

  @Test
  @Behaviour("H4: a snapshot does not contain what the task does while it is written")
  void valuesThatMayChangeAreCopied() {
    Counter counter = new Counter();
    counter.count = 7;
    for (Object value :
        List.of(
            new ArrayList<>(List.of(1, 2)),
            new int[] {1, 2},
            counter,
            new WithList(new ArrayList<>(List.of("a"))),
            new WithObject(counter),
            new WithObject("even so"),
            new Chain(1, new Chain(2, null)))) {
      for (int times = 0; times < 2; times++) {
        Object copy = copier.apply(value);
        assertThat(copy).isNotSameAs(value);
        if (value instanceof int[] numbers) {
          assertThat((int[]) copy).isEqualTo(numbers);
        } else {
          assertThat(copy).isEqualTo(value);
        }
      }
    }
    WithArray array = new WithArray(new int[] {1});
    WithArray copy = (WithArray) copier.apply(array);
    copy.numbers()[0] = 9;
    assertThat(array.numbers()).containsExactly(1);
    WithObject held = (WithObject) copier.apply(new WithObject(counter));
    ((Counter) held.any()).count = 9;
    assertThat(counter.count).isEqualTo(7);
  }

  @Test
  void aValueThatCannotBeSerialisedStaysAsItIs() {
    Object thread = new WithObject(new Thread());
    assertThat(copier.apply(thread)).as("the snapshot says why").isSameAs(thread);
  }

  @Test
  void onlyElementsThatMayChangeAreCopied() {
    int[] numbers = {1, 2};
    assertThat(copier.copyElements(numbers, 2)).isSameAs(numbers);
    Object[] texts = {"a", 1, null};
    assertThat(copier.copyElements(texts, 3)).isSameAs(texts);
    Counter first = new Counter();
    Counter behind = new Counter();
    Object[] mixed = {"a", first, "b", behind};
    Object[] copy = (Object[]) copier.copyElements(mixed, 3);
    assertThat(copy).isNotSameAs(mixed);
    assertThat(copy[0]).isSameAs("a");
    assertThat(copy[1]).isEqualTo(first).isNotSameAs(first);
    assertThat(copy[3]).as("it is not one of the elements").isSameAs(behind);
    assertThat(mixed[1]).isSameAs(first);
  }
}
