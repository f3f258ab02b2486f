package io.millrace.api;

import io.millrace.api.execution.JobClient;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * The records of a job, which the client reads while the job runs. If the job fails, the iterator
 * throws after the last record. A job that restarts sends its records again.
 *
 * <pre>{@code
 * try (CollectedRecords<Order> records = orders.collect()) {
 *   while (records.hasNext()) {
 *     System.out.println(records.next());
 *   }
 * }
 * }</pre>
 *
 * @param <T> the records
 */
public final class CollectedRecords<T> implements Iterator<T>, AutoCloseable {
  private final String name;

  /** Null until the job is submitted. */
  private volatile JobClient client;

  private Iterator<T> records;

  /**
   * @param name under which the job collects the records
   */
  CollectedRecords(String name) {
    this.name = name;
  }

  void submitted(JobClient job) {
    records = TypeErasure.typed(job.collected(name));
    client = job;
  }

  /** The job the records come from. */
  public JobClient job() {
    if (client == null) {
      throw new MillraceException(
          ErrorKind.USER,
          "The records of collectAsync come from a job that was not executed yet. Call executeAsync"
              + " of the environment first.");
    }
    return client;
  }

  @Override
  public boolean hasNext() {
    JobClient job = job();
    if (records.hasNext()) {
      return true;
    }
    job.await().orThrow();
    return false;
  }

  @Override
  public T next() {
    job();
    return records.next();
  }

  /** The remaining records; returns when the job has finished. */
  public List<T> toList() {
    List<T> list = new ArrayList<>();
    forEachRemaining(list::add);
    return list;
  }

  /** Cancels the job if it still runs. */
  @Override
  public void close() {
    if (client != null && !client.result().isDone()) {
      client.cancel().join();
    }
  }
}
