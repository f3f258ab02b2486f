package io.millrace.sim.scenario;

import java.time.Duration;

/** Something a client does at a time. */
public sealed interface ClientAction {
  Duration at();

  /** Submits a job; saying it twice submits the same job twice. */
  record Submit(Duration at, int job) implements ClientAction {}

  record Cancel(Duration at, int job) implements ClientAction {}

  record ListJobs(Duration at) implements ClientAction {}

  /** Asks how a job ended, until it is told. */
  record AwaitResult(Duration at, int job) implements ClientAction {}

  /** Asks what a job does and what it waits for. */
  record Describe(Duration at, int job) implements ClientAction {}

  /** Deletes what a job has kept for later ones. */
  record DeleteResults(Duration at, int job) implements ClientAction {}

  /** The client of a job that ends with it says nothing any more. */
  record ClientDies(Duration at, int job) implements ClientAction {}

  /** Changes how many workers there may be. */
  record Limit(Duration at, int most) implements ClientAction {}

  record Block(Duration at, String worker, Duration time) implements ClientAction {}

  record Unblock(Duration at, String worker) implements ClientAction {}

  /** Says that the application is over, as soon as all jobs have ended. */
  record Deregister(Duration at) implements ClientAction {}
}
