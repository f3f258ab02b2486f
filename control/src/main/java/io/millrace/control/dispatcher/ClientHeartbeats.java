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
 * The clients whose jobs end with them, and when each was last heard of. Lives in the Dispatcher's
 * mailbox.
 *
 * <p>Everything is counted here, by this process's clock: that of a client may be wrong. A client
 * has its whole time again under each leader, and time in which this process stood still does not
 * count, because nobody could be heard in it.
 */
final class ClientHeartbeats {
  /** Looks in a client's time; more than one, so that a pause of this process is noticed. */
  private static final int LOOKS = 8;

  private final Env env;
  private final Mailbox mailbox;
  private final BiConsumer<JobId, ClientTimeout> lost;
  private final Map<JobId, Client> clients = new LinkedHashMap<>();

  /**
   * @param lost told once of a client that was silent for too long
   */
  ClientHeartbeats(Env env, Mailbox mailbox, BiConsumer<JobId, ClientTimeout> lost) {
    this.env = env;
    this.mailbox = mailbox;
    this.lost = lost;
  }

  private static final class Client {
    final long timeout;

    /** When it was heard of, or waited for first, plus the time that does not count. */
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

  /** The client of the job has this long from now to say that it lives, and again each time. */
  void expect(JobId job, Duration timeout) {
    Client client = new Client(timeout, env.nanos());
    clients.put(job, client);
    lookLater(job, client);
  }

  /** A client says that it lives. Returns whether anybody wants to know. */
  boolean hear(JobId job) {
    Client client = clients.get(job);
    if (client == null) {
      return false;
    }
    client.countedFrom = env.nanos();
    client.heard = true;
    return true;
  }

  /** The job is over. */
  void forget(JobId job) {
    clients.remove(job);
  }

  private void lookLater(JobId job, Client client) {
    long now = env.nanos();
    long left = client.timeout - client.silence(now);
    long pause = Math.max(1, Math.min(left, client.timeout / LOOKS));
    mailbox.after(Duration.ofNanos(pause), () -> look(job, client, now + pause));
  }

  private void look(JobId job, Client client, long due) {
    if (clients.get(job) != client) {
      return;
    }
    long now = env.nanos();
    long stoodStill = Math.max(0, now - due);
    client.countedFrom = Math.min(now, client.countedFrom + stoodStill);
    if (client.silence(now) < client.timeout) {
      lookLater(job, client);
      return;
    }
    clients.remove(job);
    lost.accept(
        job,
        new ClientTimeout(
            client.heard, Duration.ofNanos(client.silence(now)), Duration.ofNanos(client.timeout)));
  }
}
