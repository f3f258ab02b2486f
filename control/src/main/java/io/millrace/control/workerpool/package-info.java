/**
 * Keeps the number of workers of each spec at the declared target. {@link
 * io.millrace.control.workerpool.WorkerPool} decides which workers are requested from the driver,
 * cancelled or replaced. It is a pure decider; {@code resourcemanager.WorkerPoolRunner} performs
 * its actions.
 */
package io.millrace.control.workerpool;
