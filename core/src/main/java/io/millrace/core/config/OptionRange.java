package io.millrace.core.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The allowed values of an option: those between two bounds, and additional single ones such as -1.
 */
final class OptionRange<T> {
  private final Optional<Bound<T>> lower;
  private final Optional<Bound<T>> upper;
  private final List<Value<T>> additional;

  private OptionRange(
      Optional<Bound<T>> lower, Optional<Bound<T>> upper, List<Value<T>> additional) {
    this.lower = lower;
    this.upper = upper;
    this.additional = additional;
  }

  /** Allows everything that the type allows. */
  static <T> OptionRange<T> unbounded() {
    return new OptionRange<>(Optional.empty(), Optional.empty(), List.of());
  }

  OptionRange<T> from(T value, String text, boolean included) {
    return new OptionRange<>(
        Optional.of(new Bound<>(new Value<>(value, text), included)), upper, additional);
  }

  OptionRange<T> to(T value, String text, boolean included) {
    return new OptionRange<>(
        lower, Optional.of(new Bound<>(new Value<>(value, text), included)), additional);
  }

  OptionRange<T> or(T value, String text) {
    List<Value<T>> more = new ArrayList<>(additional);
    more.add(new Value<>(value, text));
    return new OptionRange<>(lower, upper, List.copyOf(more));
  }

  boolean isBounded() {
    return lower.isPresent() || upper.isPresent();
  }

  boolean contains(T value) {
    return (lower.map(bound -> bound.allows(bound.value.compare(value))).orElse(true)
            && upper.map(bound -> bound.allows(-bound.value.compare(value))).orElse(true))
        || additional.stream().anyMatch(one -> one.compare(value) == 0);
  }

  /** As text: {@code 0 to 65535}, {@code at least 1, or -1}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    if (lower.isPresent() && upper.isPresent() && lower.get().included && upper.get().included) {
      text.append(lower.get().value.text).append(" to ").append(upper.get().value.text);
    } else {
      lower.ifPresent(
          bound ->
              text.append(bound.included ? "at least " : "more than ").append(bound.value.text));
      text.append(lower.isPresent() && upper.isPresent() ? " and " : "");
      upper.ifPresent(
          bound ->
              text.append(bound.included ? "at most " : "less than ").append(bound.value.text));
    }
    additional.forEach(one -> text.append(", or ").append(one.text));
    return text.toString();
  }

  private record Bound<T>(Value<T> value, boolean included) {
    /** Whether a value with this comparison result to the bound is allowed. */
    boolean allows(int comparison) {
      return included ? comparison <= 0 : comparison < 0;
    }
  }

  /** A value and its text in the declaration. */
  private record Value<T>(T value, String text) {
    /** Options with a range have comparable types. */
    @SuppressWarnings("unchecked")
    int compare(T other) {
      return ((Comparable<T>) value).compareTo(other);
    }
  }
}
