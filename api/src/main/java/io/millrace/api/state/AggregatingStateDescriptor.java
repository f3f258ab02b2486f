package io.millrace.api.state;

import io.millrace.api.function.AggregateFunction;
import java.util.Objects;

/**
 * Describes an {@link AggregatingState}.
 *
 * <pre>{@code
 * class Average implements AggregateFunction<Order, long[], Double> {
 *   public long[] create() {
 *     return new long[2];
 *   }
 *
 *   public long[] add(long[] sum, Order order) {
 *     return new long[] {sum[0] + order.cents(), sum[1] + 1};
 *   }
 *
 *   public Double result(long[] sum) {
 *     return (double) sum[0] / sum[1];
 *   }
 * }
 *
 * AggregatingStateDescriptor<Order, long[], Double> average =
 *     new AggregatingStateDescriptor<>("average", new Average());
 * }</pre>
 */
public record AggregatingStateDescriptor<T, A, R>(
    String name, AggregateFunction<T, A, R> function, StateTtl ttl) implements StateDescriptor {
  public AggregatingStateDescriptor {
    StateNameChecks.check(name);
    Objects.requireNonNull(function, "function");
    Objects.requireNonNull(ttl, "ttl");
  }

  public AggregatingStateDescriptor(String name, AggregateFunction<T, A, R> function) {
    this(name, function, StateTtl.NONE);
  }

  /** The same state with a time to live. */
  public AggregatingStateDescriptor<T, A, R> withTtl(StateTtl ttl) {
    return new AggregatingStateDescriptor<>(name, function, ttl);
  }
}
