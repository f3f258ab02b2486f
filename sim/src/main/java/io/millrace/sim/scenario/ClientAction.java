package io.millrace.sim.scenario;

import java.time.Duration;

/** An action of a client at a certain time. */
public sealed interface ClientAction {
  Duration at();

  /** Submits a job; two such actions submit the same job twice. */
  record Submit(Duration at, int job) implements ClientAction {}

  record Cancel(Duration at, int job) implements ClientAction {}

  /** Requests a savepoint of a job. */
  record Savepoint(Duration at, int job) implements ClientAction {}

  /**
   * Stops a job with a savepoint.
   *
   * @param drain whether its event time ends before
   */
  record Stop(Duration at, int job, boolean drain) implements ClientAction {}

  /**
   * Submits a job with the state of another one as soon as that one has ended: of its latest
   * retained checkpoint or of a completed savepoint.
   */
  record Resume(Duration at, int job, int from, boolean savepoint) implements ClientAction {}

  /**
   * Not of a client: the application has run before, with the same id of the job, and its retained
   * checkpoints are still there.
   */
  record EarlierRun(Duration at, int job) implements ClientAction {}

  record ListJobs(Duration at) implements ClientAction {}

  /** Requests the result of a job until it is there. */
  record AwaitResult(Duration at, int job) implements ClientAction {}

  /** Requests the details of a job. */
  record Describe(Duration at, int job) implements ClientAction {}

  /** Deletes the cached data sets of a job. */
  record DeleteResults(Duration at, int job) implements ClientAction {}

  /** The client of a job that ends with it sends no more heartbeats. */
  record ClientDies(Duration at, int job) implements ClientAction {}

  /** Limits the number of workers. */
  record Limit(Duration at, int most) implements ClientAction {}

  record Block(Duration at, String worker, Duration time) implements ClientAction {}

  record Unblock(Duration at, String worker) implements ClientAction {}

  /** Deregisters the application as soon as all jobs have ended. */
  record Deregister(Duration at) implements ClientAction {}
}
