package io.millrace.examples;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The client of a directory of customers. In place of a server it has a thread that answers after
 * some milliseconds, and refuses the first request for each customer with an odd number.
 */
final class CustomerDirectory implements AutoCloseable {
  record Customer(String name, String city) {}

  private static final List<Customer> CUSTOMERS =
      List.of(
          new Customer("Ada", "London"),
          new Customer("Blaise", "Paris"),
          new Customer("Carl", "Göttingen"),
          new Customer("Emmy", "Erlangen"),
          new Customer("Grace", "New York"),
          new Customer("Kurt", "Vienna"));

  private final boolean[] asked = new boolean[CUSTOMERS.size()];
  private final ScheduledExecutorService server =
      Executors.newSingleThreadScheduledExecutor(
          run -> {
            Thread thread = new Thread(run, "customer-directory");
            thread.setDaemon(true);
            return thread;
          });

  /** The customer with a number; empty if there is none. */
  CompletableFuture<Optional<Customer>> find(int number) {
    CompletableFuture<Optional<Customer>> answer = new CompletableFuture<>();
    server.schedule(() -> answer(number, answer), 1 + number % 5, TimeUnit.MILLISECONDS);
    return answer;
  }

  /** Runs in the thread of the server. */
  private void answer(int number, CompletableFuture<Optional<Customer>> answer) {
    if (number >= CUSTOMERS.size()) {
      answer.complete(Optional.empty());
    } else if (number % 2 == 1 && !asked[number]) {
      asked[number] = true;
      answer.completeExceptionally(
          new CompletionException(new IllegalStateException("The directory is busy.")));
    } else {
      answer.complete(Optional.of(CUSTOMERS.get(number)));
    }
  }

  @Override
  public void close() {
    server.shutdownNow();
  }
}
