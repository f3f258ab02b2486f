package io.millrace.control.resourcemanager;

import io.millrace.control.cluster.ClusterServices;
import io.millrace.control.cluster.LeaderElectionRunner;
import io.millrace.control.driver.WorkerDriver;
import io.millrace.control.ha.HaStore;
import io.millrace.core.security.DelegationTokens;
import io.millrace.protocol.ComponentNames;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Takes part in the leader election of the ResourceManager and runs one in each term. If a
 * ResourceManager fails, {@code fatal} ends the process, so that another process can lead.
 */
public final class ResourceManagerRunner {
  private final ClusterServices cluster;
  private final Backing backing;
  private final Consumer<Throwable> fatal;
  private final LeaderElectionRunner election;

  /**
   * @param driver starts and ends workers
   * @param tokens obtains delegation tokens
   * @param store keeps the worker limit for the next term and has the results of jobs
   */
  public record Backing(WorkerDriver driver, DelegationTokens tokens, HaStore store) {
    public Backing {
      Objects.requireNonNull(driver);
      Objects.requireNonNull(tokens);
      Objects.requireNonNull(store);
    }
  }

  public ResourceManagerRunner(
      ClusterServices cluster, Backing backing, Consumer<Throwable> fatal) {
    this.cluster = cluster;
    this.backing = backing;
    this.fatal = fatal;
    this.election = new LeaderElectionRunner(cluster, ComponentNames.RESOURCE_MANAGER, this::begin);
  }

  /** Starts to take part in the election. */
  public void start() {
    election.start();
  }

  /** Ends the current term and gives up leadership. May be called repeatedly. */
  public CompletableFuture<Void> stop() {
    return election.stop();
  }

  private void begin(LeaderElectionRunner.Term term) {
    try {
      term.run(new ResourceManager(cluster, term.token(), backing, fatal), fatal);
    } catch (RuntimeException e) {
      fatal.accept(e);
    }
  }
}
