package io.millrace.sim.scenario;

import java.time.Duration;

/** Something a client does at a time. */
public sealed interface Act {
  Duration at();

  /** Submits a job; saying it twice submits the same job twice. */
  record Submit(Duration at, int job) implements Act {}

  record Cancel(Duration at, int job) implements Act {}

  record ListJobs(Duration at) implements Act {}

  /** Asks how a job ended, until it is told. */
  record AwaitResult(Duration at, int job) implements Act {}

  /** Asks what a job does and what it waits for. */
  record Describe(Duration at, int job) implements Act {}

  /** Deletes what a job has kept for later ones. */
  record DeleteResults(Duration at, int job) implements Act {}

  /** The client of a job that ends with it says nothing any more. */
  record ClientDies(Duration at, int job) implements Act {}

  /** Changes how many workers there may be. */
  record Limit(Duration at, int most) implements Act {}

  record Block(Duration at, String worker, Duration time) implements Act {}

  record Unblock(Duration at, String worker) implements Act {}

  /** Says that the application is over, as soon as all jobs have ended. */
  record Deregister(Duration at) implements Act {}
}
