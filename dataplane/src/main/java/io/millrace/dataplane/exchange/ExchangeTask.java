package io.millrace.dataplane.exchange;

import io.millrace.core.error.Failure;

/** A task of this process as the exchange sees it. Any thread may call the methods. */
public interface ExchangeTask {
  /** Queues a batch at the task and wakes it. */
  void receive(RecordBatch batch);

  /**
   * Gives back credits of a channel.
   *
   * @param output position of the edge among those that leave the task
   */
  void credit(int output, int consumer, int count);

  /**
   * A reader of a source asks this task, which runs the enumerator, for splits.
   *
   * @param total the number of splits that it has asked for since its start
   */
  void requestSplits(int reader, long total);

  /** Wakes the task if it waits for room in its outputs. */
  void roomMade();

  /** Fails the task if it still expects input from a host whose connection broke. */
  void inputHostLost(int host, Failure why);

  /** Fails the task if it sends to a host whose connection broke. */
  void outputHostLost(int host, Failure why);
}
