package io.millrace.examples;

import io.millrace.api.AsyncDataStream;
import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.async.AsyncFunction;
import io.millrace.api.async.AsyncRetryStrategy;
import io.millrace.api.process.RichFunction;
import io.millrace.api.process.RuntimeContext;
import java.io.Serializable;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Adds the name and the city of the customer to each order, as {@code
 * ORDER<TAB>NAME<TAB>CITY<TAB>CENTS}, by asynchronous requests to a directory of customers.
 *
 * <p>{@code --orders} (12) are generated. At most {@code --capacity} (4) requests of a subtask wait
 * at a time. The directory answers some requests with an error first, which are repeated. {@code
 * --output DIR} writes the lines to a directory instead of printing them.
 */
public final class Enrichment {
  private Enrichment() {}

  /** An order of a customer. */
  record Order(long id, int customer, long cents) implements Serializable {
    private static final long serialVersionUID = 1L;

    static Order of(long index) {
      return new Order(index, (int) (index * 3 % 7), 500 + index * 137 % 1000);
    }
  }

  public static void main(String[] args) {
    Arguments arguments =
        Arguments.parse(args, List.of("--orders", "--capacity", "--output"), List.of());
    StreamEnvironment env = StreamEnvironment.current();
    DataStream<Order> orders = env.generate(Order::of, arguments.positive("--orders", 12));
    DataStream<String> lines =
        enriched(orders, (int) arguments.positive("--capacity", 4)).name("enrich");
    Results.deliver(env, lines, arguments, "enrichment");
  }

  /** Results may overtake each other; {@code orderedWait} would keep the order of the orders. */
  static DataStream<String> enriched(DataStream<Order> orders, int capacity) {
    return AsyncDataStream.unorderedWait(
        orders,
        new LookUp(),
        Duration.ofSeconds(30),
        capacity,
        AsyncRetryStrategy.fixedDelay(3, Duration.ofMillis(20)));
  }

  /** Asks for the customer of an order. The client is opened once in each subtask. */
  private static final class LookUp implements AsyncFunction<Order, String>, RichFunction {
    private static final long serialVersionUID = 1L;

    private transient CustomerDirectory directory;

    @Override
    public void open(RuntimeContext context) {
      directory = new CustomerDirectory();
    }

    @Override
    public CompletionStage<List<String>> asyncInvoke(Order order) {
      return directory
          .find(order.customer())
          .thenApply(
              found ->
                  List.of(
                      order.id()
                          + "\t"
                          + found
                              .map(customer -> customer.name() + "\t" + customer.city())
                              .orElse("unknown\t-")
                          + "\t"
                          + order.cents()));
    }

    @Override
    public void close() {
      if (directory != null) {
        directory.close();
      }
    }
  }
}
