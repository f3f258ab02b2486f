package io.millrace.control.resourcemanager;

import io.millrace.control.cluster.Cluster;
import io.millrace.control.cluster.LeaderTerms;
import io.millrace.control.driver.WorkerDriver;
import io.millrace.control.ha.HaStore;
import io.millrace.core.security.DelegationTokens;
import io.millrace.protocol.Components;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Takes part in the election of the ResourceManager and runs one in each term it leads. One that
 * ends by itself is handed to {@code fatal}: the process has to go, another may do better.
 */
public final class ResourceManagerRunner {
  private final Cluster cluster;
  private final Backing backing;
  private final Consumer<Throwable> fatal;
  private final LeaderTerms terms;

  /**
   * Where workers and the tokens for them come from, and what keeps the limit of their number for
   * the next term.
   */
  public record Backing(WorkerDriver driver, DelegationTokens tokens, HaStore store) {
    public Backing {
      Objects.requireNonNull(driver);
      Objects.requireNonNull(tokens);
      Objects.requireNonNull(store);
    }
  }

  public ResourceManagerRunner(Cluster cluster, Backing backing, Consumer<Throwable> fatal) {
    this.cluster = cluster;
    this.backing = backing;
    this.fatal = fatal;
    this.terms = new LeaderTerms(cluster, Components.RESOURCE_MANAGER, this::begin);
  }

  /** Takes part in the election from now on. */
  public void start() {
    terms.start();
  }

  /** Ends the current term and gives up leadership. May be called repeatedly. */
  public CompletableFuture<Void> stop() {
    return terms.stop();
  }

  private void begin(LeaderTerms.Term term) {
    try {
      term.run(new ResourceManager(cluster, term.token(), backing, fatal), fatal);
    } catch (RuntimeException e) {
      fatal.accept(e);
    }
  }
}
