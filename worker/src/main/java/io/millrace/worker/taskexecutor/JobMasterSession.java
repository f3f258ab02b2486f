package io.millrace.worker.taskexecutor;

import io.millrace.protocol.JobMasterGateway;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.leader.Leader;
import java.time.Duration;
import java.util.Optional;

/**
 * Being registered at one leader of a job. What was begun in a session ends with it: a later leader
 * never hears of an earlier one's tasks.
 */
final class JobMasterSession {
  /**
   * A part of a collected result is acknowledged when the client has room, however long that takes;
   * sent twice it would be seen twice. A JobMaster that dies ends the session, so nothing waits in
   * vain.
   */
  private static final Duration NO_TIMEOUT = Duration.ofDays(365);

  private final Leader leader;
  private final JobMasterGateway gateway;
  private final JobMasterGateway patient;
  private final JobMasterGateway offers;
  private final TaskUpdateQueue updates;
  private boolean offering;
  private boolean closed;

  JobMasterSession(TaskExecutorContext worker, Leader leader, Runnable drained) {
    this.leader = leader;
    this.gateway = gateway(worker, leader, Optional.empty());
    this.patient = gateway(worker, leader, Optional.of(NO_TIMEOUT));
    // An offer without an answer is repeated some times before its slots expire.
    this.offers =
        gateway(worker, leader, Optional.of(worker.settings().slotTimeout().dividedBy(4)));
    this.updates = new TaskUpdateQueue(worker, gateway, drained);
  }

  private static JobMasterGateway gateway(
      TaskExecutorContext worker, Leader leader, Optional<Duration> timeout) {
    Optional<LeaderToken> token = Optional.of(leader.token());
    return timeout.isEmpty()
        ? worker.rpc().gateway(JobMasterGateway.class, leader.address(), token, worker.mailbox())
        : worker
            .rpc()
            .gateway(
                JobMasterGateway.class, leader.address(), token, worker.mailbox(), timeout.get());
  }

  Leader leader() {
    return leader;
  }

  JobMasterGateway gateway() {
    return gateway;
  }

  /** For calls whose answer may take any time. */
  JobMasterGateway patient() {
    return patient;
  }

  JobMasterGateway offers() {
    return offers;
  }

  TaskUpdateQueue updates() {
    return updates;
  }

  /** Whether an offer is under way; there is one at a time. */
  boolean offering() {
    return offering;
  }

  void offering(boolean now) {
    offering = now;
  }

  boolean isOpen() {
    return !closed;
  }

  void close() {
    closed = true;
    updates.close();
  }
}
