package io.millrace.control.dispatcher;

import io.millrace.core.id.JobId;
import io.millrace.protocol.reason.JobReason.ClientTimeout;
import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * The clients whose jobs end with them, and the time of their last heartbeats. Confined to the
 * Dispatcher's mailbox.
 *
 * <p>Only the clock of this process counts. The time-out of a client starts again under each
 * leader. Pauses of this process do not count as silence, because it receives no heartbeats while
 * it is paused.
 */
final class ClientHeartbeats {
  /** Checks per time-out: more than one, so that a pause of this process is detected. */
  private static final int CHECKS_PER_TIMEOUT = 8;

  private final Env env;
  private final Mailbox mailbox;
  private final BiConsumer<JobId, ClientTimeout> lost;
  private final Map<JobId, Client> clients = new LinkedHashMap<>();

  /**
   * @param lost called once for a client whose time-out has expired
   */
  ClientHeartbeats(Env env, Mailbox mailbox, BiConsumer<JobId, ClientTimeout> lost) {
    this.env = env;
    this.mailbox = mailbox;
    this.lost = lost;
  }

  private static final class Client {
    final long timeout;

    /** The time of the last heartbeat, or of the first wait, plus pauses of this process. */
    long countedFrom;

    boolean heard;

    Client(Duration timeout, long now) {
      this.timeout = timeout.toNanos();
      this.countedFrom = now;
    }

    long silence(long now) {
      return now - countedFrom;
    }
  }

  /** Starts the time-out of a job's client. Each heartbeat starts it again. */
  void expect(JobId job, Duration timeout) {
    Client client = new Client(timeout, env.nanos());
    clients.put(job, client);
    scheduleCheck(job, client);
  }

  /** Records a heartbeat. Returns whether the job has a time-out. */
  boolean hear(JobId job) {
    Client client = clients.get(job);
    if (client == null) {
      return false;
    }
    client.countedFrom = env.nanos();
    client.heard = true;
    return true;
  }

  /** Stops the time-out: the job has ended. */
  void forget(JobId job) {
    clients.remove(job);
  }

  private void scheduleCheck(JobId job, Client client) {
    long now = env.nanos();
    long remaining = client.timeout - client.silence(now);
    long delay = Math.max(1, Math.min(remaining, client.timeout / CHECKS_PER_TIMEOUT));
    mailbox.after(Duration.ofNanos(delay), () -> check(job, client, now + delay));
  }

  private void check(JobId job, Client client, long due) {
    if (clients.get(job) != client) {
      return;
    }
    long now = env.nanos();
    long processPause = Math.max(0, now - due);
    client.countedFrom = Math.min(now, client.countedFrom + processPause);
    if (client.silence(now) < client.timeout) {
      scheduleCheck(job, client);
      return;
    }
    clients.remove(job);
    lost.accept(
        job,
        new ClientTimeout(
            client.heard, Duration.ofNanos(client.silence(now)), Duration.ofNanos(client.timeout)));
  }
}
