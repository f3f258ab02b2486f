package io.millrace.core.codec;

import io.millrace.core.Bytes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;

/** Messages with every supported type, and random values of them. */
final class Samples {
  static final List<Class<? extends Record>> TABLE =
      List.of(
          Everything.class,
          Numbers.class,
          Tree.class,
          Envelope.class,
          Point.class,
          Empty.class,
          EvenOnly.class,
          Boxes.class);

  enum Color {
    RED,
    GREEN {
      @Override
      boolean calm() {
        return true;
      }
    },
    BLUE;

    boolean calm() {
      return false;
    }
  }

  record Empty() {}

  record Point(int x, long y) {}

  record Pair<A, B>(A left, B right) {}

  record Tree(String label, List<Tree> children) {}

  record Numbers(byte[] bytes, int[] ints, long[] longs) {}

  record Boxes(
      Boolean flag, Byte tiny, Short small, Integer medium, Long large, Float real, Double wide) {}

  record Envelope(long number, Record body, List<Record> more) {}

  record EvenOnly(int even) {
    EvenOnly {
      if (even % 2 != 0) {
        throw new IllegalArgumentException(even + " is odd");
      }
    }
  }

  sealed interface Event permits Started, Ended, Signal {}

  sealed interface Ended extends Event permits Finished, Failed {}

  record Started(Instant at) implements Event {}

  record Finished(Duration took) implements Ended {}

  record Failed(Optional<String> why) implements Ended {}

  enum Signal implements Event {
    PAUSE,
    RESUME {
      @Override
      boolean wakes() {
        return true;
      }
    };

    boolean wakes() {
      return false;
    }
  }

  sealed interface Result<T> permits Many, Wrong {}

  record Many<V>(List<V> values) implements Result<List<V>> {}

  record Wrong<T>(String why, Optional<T> partial) implements Result<T> {}

  record Everything(
      boolean flag,
      byte tiny,
      short small,
      int medium,
      long large,
      float real,
      double wide,
      String text,
      Bytes content,
      Color color,
      Duration duration,
      Instant instant,
      Optional<Point> maybe,
      List<String> texts,
      Set<Long> unique,
      Map<String, List<Point>> named,
      Pair<Color, Optional<Pair<Integer, Bytes>>> pair,
      Event event,
      Result<List<Point>> result,
      Map<Event, ? extends Set<Color>> nested,
      List<Empty> nothing) {}

  private final Random random;

  Samples(long seed) {
    this.random = new Random(seed);
  }

  Record message() {
    return switch (random.nextInt(7)) {
      case 0 -> tree(random.nextInt(5));
      case 1 -> new Envelope(integer(), point(), list(() -> point()));
      case 2 -> new Envelope(integer(), everything(), list(Empty::new));
      case 3 -> new EvenOnly(2 * random.nextInt(1000));
      case 4 ->
          new Boxes(
              random.nextBoolean(),
              (byte) random.nextInt(),
              (short) random.nextInt(),
              (int) integer(),
              integer(),
              random.nextFloat(),
              random.nextGaussian());
      case 5 -> numbers();
      default -> everything();
    };
  }

  Numbers numbers() {
    byte[] bytes = new byte[random.nextInt(20)];
    random.nextBytes(bytes);
    return new Numbers(
        bytes,
        random.ints(random.nextInt(20)).toArray(),
        random.longs(random.nextInt(20)).toArray());
  }

  Everything everything() {
    return new Everything(
        random.nextBoolean(),
        (byte) random.nextInt(),
        (short) random.nextInt(),
        (int) integer(),
        integer(),
        Float.intBitsToFloat(random.nextInt()),
        Double.longBitsToDouble(random.nextLong()),
        text(),
        Bytes.utf8(text()),
        color(),
        Duration.ofSeconds(integer(), random.nextInt(1_000_000_000)),
        instant(),
        optional(() -> point()),
        list(() -> text()),
        new LinkedHashSet<>(list(() -> integer())),
        map(() -> text(), () -> list(() -> point())),
        new Pair<>(color(), optional(() -> new Pair<>((int) integer(), Bytes.utf8(text())))),
        event(),
        random.nextBoolean()
            ? new Many<>(list(() -> point()))
            : new Wrong<>(text(), optional(() -> list(() -> point()))),
        map(() -> event(), () -> new LinkedHashSet<>(list(() -> color()))),
        list(Empty::new));
  }

  private Tree tree(int height) {
    List<Tree> children = new ArrayList<>();
    for (int i = 0; height > 0 && i < random.nextInt(4); i++) {
      children.add(tree(height - 1));
    }
    return new Tree(text(), children);
  }

  private Event event() {
    return switch (random.nextInt(4)) {
      case 0 -> new Started(instant());
      case 1 -> new Finished(Duration.ofMillis(integer() / 2));
      case 2 -> new Failed(optional(() -> text()));
      default -> Signal.values()[random.nextInt(2)];
    };
  }

  private Instant instant() {
    return Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000));
  }

  private Point point() {
    return new Point((int) integer(), integer());
  }

  private Color color() {
    return Color.values()[random.nextInt(3)];
  }

  /** Numbers of all encoded lengths, including the extremes. */
  private long integer() {
    return switch (random.nextInt(10)) {
      case 0 -> Long.MIN_VALUE;
      case 1 -> Long.MAX_VALUE;
      case 2 -> Integer.MIN_VALUE;
      default -> random.nextLong() >> random.nextInt(64);
    };
  }

  private String text() {
    StringBuilder text = new StringBuilder();
    int length = random.nextInt(12);
    while (text.length() < length) {
      int point = random.nextInt(random.nextBoolean() ? 0x80 : 0x110000);
      if (Character.getType(point) != Character.SURROGATE) {
        text.appendCodePoint(point);
      }
    }
    return text.toString();
  }

  private <T> Optional<T> optional(Supplier<T> value) {
    return random.nextBoolean() ? Optional.of(value.get()) : Optional.empty();
  }

  private <T> List<T> list(Supplier<? extends T> element) {
    List<T> elements = new ArrayList<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      elements.add(element.get());
    }
    return elements;
  }

  private <K, V> Map<K, V> map(Supplier<K> key, Supplier<V> value) {
    Map<K, V> entries = new LinkedHashMap<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      entries.put(key.get(), value.get());
    }
    return entries;
  }
}
