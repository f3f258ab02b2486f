package io.millrace.format.avro;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;

/** A record with a field of each type, without arrays, whose equality is not that of content. */
public record Sample(
    boolean flag,
    byte tiny,
    short small,
    int number,
    long large,
    float single,
    double real,
    Integer boxed,
    String text,
    Kind kind,
    BigDecimal decimal,
    BigInteger integer,
    UUID uuid,
    Instant instant,
    LocalDate date,
    LocalTime time,
    LocalDateTime dateTime,
    Optional<String> optional,
    List<Long> numbers,
    Map<String, Inner> inners,
    Inner inner,
    Node node) {
  /** An enum. */
  public enum Kind {
    A,
    B
  }

  /** A nested record. */
  public record Inner(String name, List<List<Integer>> lists) {}

  /** A class without record, which contains itself. */
  public static final class Node {
    private int value;
    private Node next;

    Node() {}

    Node(int value, Node next) {
      this.value = value;
      this.next = next;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Node node
          && node.value == value
          && java.util.Objects.equals(node.next, next);
    }

    @Override
    public int hashCode() {
      return value;
    }

    @Override
    public String toString() {
      return value + " " + next;
    }
  }

  static Sample random(Random random) {
    return new Sample(
        random.nextBoolean(),
        (byte) random.nextInt(),
        (short) random.nextInt(),
        random.nextInt(),
        random.nextLong(),
        random.nextFloat(),
        random.nextDouble(),
        random.nextBoolean() ? null : random.nextInt(),
        random.nextBoolean() ? null : text(random),
        random.nextBoolean() ? null : Kind.values()[random.nextInt(2)],
        random.nextBoolean() ? null : new BigDecimal(new BigInteger(70, random), 5),
        random.nextBoolean() ? null : new BigInteger(90, random),
        random.nextBoolean() ? null : new UUID(random.nextLong(), random.nextLong()),
        Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000) * 1000L),
        random.nextBoolean() ? null : LocalDate.ofEpochDay(random.nextInt(100_000) - 50_000),
        LocalTime.ofNanoOfDay(random.nextInt(86_400) * 1_000_000_000L + 5_000),
        LocalDateTime.of(1900 + random.nextInt(300), 2, 3, 4, 5, 6, 7_000),
        random.nextBoolean() ? Optional.empty() : Optional.of(text(random)),
        random.nextBoolean() ? null : List.of(random.nextLong(), 7L),
        inners(random),
        random.nextBoolean() ? null : inner(random),
        random.nextBoolean() ? null : new Node(1, new Node(2, null)));
  }

  private static Map<String, Inner> inners(Random random) {
    Map<String, Inner> inners = new LinkedHashMap<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      inners.put(text(random), inner(random));
    }
    return inners;
  }

  private static Inner inner(Random random) {
    List<List<Integer>> lists = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      lists.add(List.of(random.nextInt()));
    }
    return new Inner(random.nextBoolean() ? null : text(random), lists);
  }

  static String text(Random random) {
    return random
        .ints(random.nextInt(12), 'a', 'ä')
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }
}
