package io.millrace.rpc.registration;

import io.millrace.core.error.Failure;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.RpcError;
import io.millrace.rpc.RpcException;
import io.millrace.rpc.Subscription;
import io.millrace.rpc.heartbeat.HeartbeatMonitor;
import io.millrace.rpc.heartbeat.HeartbeatSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leader's side of registrations: it keeps the registered followers, requests heartbeats from
 * them and watches their connections. Lives in the mailbox it is given.
 *
 * <pre>
 * state         event                                      next state
 * absent        {@link #add}                               REGISTERED
 * REGISTERED    {@link #add} under the same key            the former follower is absent, without a call
 * REGISTERED    heartbeat or connection lost               REGISTERED; {@link Leader#lost} decides
 * REGISTERED    {@link #remove}                            absent
 * </pre>
 *
 * @param <K> the id of a follower
 * @param <F> one registration of a follower; a later one of the same follower is another object
 */
public final class FollowerRegistry<K extends Comparable<K>, F> {
  private static final Logger LOG = LoggerFactory.getLogger(FollowerRegistry.class);

  private final Rpc rpc;
  private final Mailbox mailbox;
  private final Leader<F> leader;
  private final HeartbeatMonitor<K> heartbeats;
  private final Map<K, Entry<F>> entries = new TreeMap<>();

  private record Entry<F>(F follower, Subscription watch) {}

  /** The leader's callbacks; called in the mailbox. */
  public interface Leader<F> {
    /** Requests a heartbeat. The future holds the code that handles the answer. */
    CompletableFuture<Runnable> ask(F follower);

    /**
     * The follower does not answer or its process is gone. It stays registered until {@link
     * #remove}.
     */
    void lost(F follower, ConnectionLoss loss);
  }

  public FollowerRegistry(Rpc rpc, Mailbox mailbox, HeartbeatSettings settings, Leader<F> leader) {
    this.rpc = rpc;
    this.mailbox = mailbox;
    this.leader = leader;
    this.heartbeats =
        new HeartbeatMonitor<>(
            rpc.env(),
            mailbox,
            settings,
            timedOut ->
                get(timedOut)
                    .ifPresent(
                        follower ->
                            leader.lost(
                                follower,
                                new ConnectionLoss.HeartbeatTimeout(settings.timeout()))));
  }

  /**
   * Registers a follower.
   *
   * @param process the process that it lives in
   */
  public void add(K key, String process, F follower) {
    mailbox.checkInside();
    get(key).ifPresent(former -> remove(key, former));
    Subscription watch = rpc.watch(process, mailbox, detail -> broken(key, follower, detail));
    entries.put(key, new Entry<>(follower, watch));
    // The answer to the registration is sent first, so that the follower knows the sender of the
    // request.
    mailbox.post(
        () -> {
          if (has(key, follower)) {
            heartbeats.watch(key, () -> ask(key, follower));
          }
        });
  }

  public Optional<F> get(K key) {
    return Optional.ofNullable(entries.get(key)).map(Entry::follower);
  }

  /** Whether this registration is the current one of the key. */
  public boolean has(K key, F follower) {
    Entry<F> entry = entries.get(key);
    return entry != null && entry.follower() == follower;
  }

  /** All followers, in the order of their keys. */
  public List<F> all() {
    List<F> all = new ArrayList<>();
    entries.values().forEach(entry -> all.add(entry.follower()));
    return all;
  }

  public int size() {
    return entries.size();
  }

  /** Requests a heartbeat now, in addition to those at every interval. */
  public void ask(K key, F follower) {
    leader
        .ask(follower)
        .whenComplete(
            (answer, failure) -> {
              if (!has(key, follower)) {
                return;
              }
              if (failure == null) {
                heartbeats.heard(key);
                answer.run();
              } else if (RpcException.is(failure, RpcError.Code.CONNECTION)) {
                broken(key, follower, Failure.sentence(Failure.unwrap(failure)));
              } else {
                LOG.debug("{} did not answer a heartbeat", key, failure);
              }
            });
  }

  /** Ends a registration; returns whether it was current. */
  public boolean remove(K key, F follower) {
    mailbox.checkInside();
    if (!has(key, follower)) {
      return false;
    }
    entries.remove(key).watch().cancel();
    heartbeats.forget(key);
    return true;
  }

  public void close() {
    heartbeats.close();
    entries.values().forEach(entry -> entry.watch().cancel());
    entries.clear();
  }

  private void broken(K key, F follower, String detail) {
    if (has(key, follower)) {
      leader.lost(follower, new ConnectionLoss.ConnectionBroken(detail));
    }
  }
}
