package io.millrace.examples;

import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.time.WatermarkStrategy;
import java.io.Serializable;
import java.time.Duration;
import java.util.List;

/**
 * Finds the payment of each order within {@code --within} milliseconds (10000), as {@code
 * ORDER<TAB>paid<TAB>MILLIS}, with the time that it took, or {@code ORDER<TAB>unpaid}.
 *
 * <p>{@code --orders} (15) are generated, one each second of event time, and their payments, some
 * of which come too late or not at all. {@code --output DIR} writes the lines to a directory
 * instead of printing them.
 */
public final class OrdersAndPayments {
  private static final Duration LONGEST_DELAY = Duration.ofSeconds(12);

  private OrdersAndPayments() {}

  /** An order. */
  record Order(long id, long time) implements Serializable {
    private static final long serialVersionUID = 1L;

    static Order of(long index) {
      return new Order(index, index * 1_000);
    }
  }

  /** The payment of an order. */
  record Payment(long order, long time) implements Serializable {
    private static final long serialVersionUID = 1L;

    /** After 0 to 12 seconds, in an order of their own. */
    static Payment of(long index) {
      return new Payment(index, index * 1_000 + index * 3_700 % LONGEST_DELAY.toMillis());
    }
  }

  public static void main(String[] args) {
    Arguments arguments =
        Arguments.parse(args, List.of("--orders", "--within", "--output"), List.of());
    long count = arguments.positive("--orders", 15);
    StreamEnvironment env = StreamEnvironment.current();
    DataStream<Order> orders = env.generate(Order::of, count);
    DataStream<Payment> payments =
        env.generate(Payment::of, count).filter(payment -> payment.order() % 5 != 4);
    Results.deliver(
        env,
        joined(orders, payments, Duration.ofMillis(arguments.positive("--within", 10_000))),
        arguments,
        "orders and payments");
  }

  /** An order without a payment is known as unpaid when event time has passed its interval. */
  static DataStream<String> joined(
      DataStream<Order> orders, DataStream<Payment> payments, Duration within) {
    return orders
        .assignTimestampsAndWatermarks(WatermarkStrategy.forMonotonousTimestamps(Order::time))
        .keyBy(Order::id)
        .intervalJoin(
            payments
                .assignTimestampsAndWatermarks(
                    WatermarkStrategy.forBoundedOutOfOrderness(LONGEST_DELAY, Payment::time))
                .keyBy(Payment::order))
        .between(Duration.ZERO, within)
        .leftOuter()
        .apply(
            (order, payment) ->
                order.id()
                    + (payment == null ? "\tunpaid" : "\tpaid\t" + (payment.time() - order.time())))
        .uid("join");
  }
}
