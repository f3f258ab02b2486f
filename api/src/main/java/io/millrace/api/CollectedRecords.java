package io.millrace.api;

import io.millrace.api.execution.JobClient;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * The records of a job, which the client reads while the job runs. If the job fails, the iterator
 * throws after the last record. A job that restarts sends its records again.
 *
 * @param <T> the records
 */
public final class CollectedRecords<T> implements Iterator<T>, AutoCloseable {
  private final JobClient client;
  private final Iterator<T> records;

  CollectedRecords(JobClient client, Iterator<T> records) {
    this.client = client;
    this.records = records;
  }

  /** The job the records come from. */
  public JobClient job() {
    return client;
  }

  @Override
  public boolean hasNext() {
    if (records.hasNext()) {
      return true;
    }
    client.await().orThrow();
    return false;
  }

  @Override
  public T next() {
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
    if (!client.result().isDone()) {
      client.cancel().join();
    }
  }
}
