package io.millrace.yarn.master;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.protocolrecords.RegisterApplicationMasterResponse;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.client.api.AMRMClient;
import org.apache.hadoop.yarn.client.api.AMRMClient.ContainerRequest;
import org.apache.hadoop.yarn.client.api.NMTokenCache;
import org.apache.hadoop.yarn.exceptions.ApplicationAttemptNotFoundException;
import org.apache.hadoop.yarn.exceptions.InvalidResourceRequestException;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Talks to YARN's ResourceManager: what is asked for goes with the next heartbeat, what comes is
 * told by its answer. The heart beats in a thread of this link's own and not in the library's,
 * which would sleep through a slow interval before it noticed that there is something to ask for.
 */
final class AmRmClient {
  private static final Logger LOG = LoggerFactory.getLogger(AmRmClient.class);

  private final AMRMClient<ContainerRequest> client = AMRMClient.createAMRMClient();
  private final HeartbeatIntervals intervals;
  private final Listener listener;
  private final Thread heartbeatThread;
  private final BlockingQueue<Boolean> wakeUps = new ArrayBlockingQueue<>(1);
  private volatile boolean fast = true;
  private volatile boolean closed;

  /** How often the heart beats, when there is something to wait for and when not. */
  record HeartbeatIntervals(Duration fast, Duration slow) {
    HeartbeatIntervals {
      Objects.requireNonNull(fast);
      Objects.requireNonNull(slow);
    }
  }

  /** Told in the thread of the heart. */
  interface Listener {
    void answered(AllocateResponse response);

    /** What is asked for can never be had; it must not be asked for again. */
    void refused(String reason);

    /** Another attempt has taken over, or the application is over for YARN. */
    void superseded();

    void lost(Exception cause);
  }

  /**
   * @param tokens takes those by which nodes know that containers are this application's
   */
  AmRmClient(
      Configuration hadoop, NMTokenCache tokens, HeartbeatIntervals intervals, Listener listener) {
    this.intervals = intervals;
    this.listener = listener;
    this.heartbeatThread = new Thread(this::heartbeat, "yarn-heartbeat");
    heartbeatThread.setDaemon(true);
    client.setNMTokenCache(tokens);
    client.init(hadoop);
    client.start();
  }

  RegisterApplicationMasterResponse register(ApplicationMasterAddress address)
      throws YarnException, IOException {
    return client.registerApplicationMaster(address.host(), address.port(), address.trackingUrl());
  }

  void begin() {
    heartbeatThread.start();
  }

  /** Whether there is something to wait for. */
  void setFast(boolean now) {
    boolean wake = now && !fast;
    fast = now;
    if (wake) {
      wakeUps.offer(true);
    }
  }

  private void heartbeat() {
    while (!closed) {
      try {
        AllocateResponse response = client.allocate(0);
        tell(() -> listener.answered(response));
      } catch (InvalidResourceRequestException e) {
        tell(() -> listener.refused(e.getMessage()));
      } catch (ApplicationAttemptNotFoundException e) {
        LOG.info("YARN no longer knows this attempt: {}", e.getMessage());
        tell(listener::superseded);
        return;
      } catch (YarnException | IOException | RuntimeException e) {
        tell(() -> listener.lost(e));
        return;
      }
      pause();
    }
  }

  private void pause() {
    try {
      Duration pause = fast ? intervals.fast() : intervals.slow();
      wakeUps.poll(pause.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      // Only a close interrupts.
      Thread.currentThread().interrupt();
    }
  }

  private void tell(Runnable news) {
    if (!closed) {
      news.run();
    }
  }

  void ask(ContainerRequest request) {
    client.addContainerRequest(request);
  }

  /** It has been served or is not wanted any more; else YARN would serve it once more. */
  void withdraw(ContainerRequest request) {
    client.removeContainerRequest(request);
  }

  /** At once: others may wait for it. */
  void release(ContainerId container) {
    client.releaseAssignedContainer(container);
    wakeUps.offer(true);
  }

  void block(List<String> added, List<String> removed) {
    client.updateBlacklist(added, removed);
  }

  /** What YARN has left for this application at the moment. */
  Resource available() {
    return client.getAvailableResources();
  }

  /** The application is over. Waits until YARN has heard of it. */
  void unregister(FinalApplicationStatus status, String diagnostics)
      throws YarnException, IOException {
    stopHeartbeat();
    client.unregisterApplicationMaster(status, diagnostics, "");
  }

  private void stopHeartbeat() {
    closed = true;
    heartbeatThread.interrupt();
  }

  void close() {
    stopHeartbeat();
    client.stop();
  }
}
