package io.millrace.worker.taskexecutor;

import io.millrace.protocol.JobMasterGateway;
import io.millrace.rpc.leader.Leader;
import java.time.Duration;
import java.util.Optional;

/**
 * A registration at one leader of a job. Its tasks end with it, unless they are kept for the next
 * leader: that one gets no reports about tasks that it has not adopted.
 */
final class JobMasterSession {
  /**
   * A part of a collected result is acknowledged when the client has room, which may take any time;
   * sending it again would duplicate it. The loss of the JobMaster ends the session, so no call
   * waits for ever.
   */
  private static final Duration NO_TIMEOUT = Duration.ofDays(365);

  private final Leader leader;
  private final JobMasterGateway gateway;
  private final JobMasterGateway withoutTimeout;
  private final JobMasterGateway offers;
  private final TaskUpdateQueue updates;
  private final boolean keepsTasks;
  private boolean offering;
  private boolean closed;

  /**
   * @param keepsTasks whether its tasks run on when the leader is lost
   */
  JobMasterSession(
      TaskExecutorContext worker, Leader leader, boolean keepsTasks, Runnable drained) {
    this.leader = leader;
    this.keepsTasks = keepsTasks;
    this.gateway =
        worker
            .rpc()
            .gateway(
                JobMasterGateway.class,
                leader.address(),
                Optional.of(leader.token()),
                worker.mailbox());
    this.withoutTimeout = gateway(worker, leader, NO_TIMEOUT);
    // An offer without an answer is repeated several times before its slots expire.
    this.offers = gateway(worker, leader, worker.settings().slotTimeout().dividedBy(4));
    this.updates = new TaskUpdateQueue(worker, gateway, drained);
  }

  private static JobMasterGateway gateway(
      TaskExecutorContext worker, Leader leader, Duration timeout) {
    return worker
        .rpc()
        .gateway(
            JobMasterGateway.class,
            leader.address(),
            Optional.of(leader.token()),
            worker.mailbox(),
            timeout);
  }

  Leader leader() {
    return leader;
  }

  boolean keepsTasks() {
    return keepsTasks;
  }

  JobMasterGateway gateway() {
    return gateway;
  }

  /** For calls whose answer may take any time. */
  JobMasterGateway withoutTimeout() {
    return withoutTimeout;
  }

  JobMasterGateway offers() {
    return offers;
  }

  TaskUpdateQueue updates() {
    return updates;
  }

  /** Whether an offer is in progress; there is one at a time. */
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
