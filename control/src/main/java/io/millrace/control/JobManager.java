package io.millrace.control;

import io.millrace.control.blob.BlobServer;
import io.millrace.control.blob.BlobStore;
import io.millrace.control.cluster.Cluster;
import io.millrace.control.dispatcher.DispatcherRunner;
import io.millrace.control.dispatcher.Storage;
import io.millrace.control.driver.WorkerDriver;
import io.millrace.control.ha.HaStore;
import io.millrace.control.ha.Terms;
import io.millrace.control.resourcemanager.ResourceManagerRunner;
import io.millrace.core.config.Configuration;
import io.millrace.protocol.Messages;
import io.millrace.rpc.Endpoint;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.leader.LeaderDirectory;
import io.millrace.rpc.leader.LocalLeadership;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The services of a JobManager that talk RPC. The same in a process of its own, in an embedded
 * cluster and in a simulation.
 */
public final class JobManager {
  private final LocalLeadership leaders;
  private final LeaderDirectory directory;
  private final BlobServer blobServer;
  private final ResourceManagerRunner resourceManager;
  private final DispatcherRunner dispatcher;

  /** What a JobManager keeps, and where its workers come from. */
  public record Backing(BlobStore blobs, HaStore store, WorkerDriver driver) {
    public Backing {
      Objects.requireNonNull(blobs);
      Objects.requireNonNull(store);
      Objects.requireNonNull(driver);
    }
  }

  /** What a JobManager tells whoever runs it. */
  public record Signals(Runnable shutDown, Consumer<Throwable> fatal) {
    public Signals {
      Objects.requireNonNull(shutDown);
      Objects.requireNonNull(fatal);
    }
  }

  /** Reserves its terms in the store, which may block. */
  public JobManager(Rpc rpc, Configuration configuration, Backing backing, Signals signals) {
    leaders =
        new LocalLeadership(rpc.env(), Terms.reserve(backing.store(), rpc.env().wallMillis()));
    directory = new LeaderDirectory(rpc, leaders);
    blobServer = new BlobServer(rpc, backing.blobs());
    Cluster cluster = new Cluster(rpc, leaders, leaders, configuration);
    resourceManager = new ResourceManagerRunner(cluster, backing.driver(), signals.fatal());
    dispatcher =
        new DispatcherRunner(
            cluster,
            new Storage(backing.blobs(), backing.store(), Messages.graphCodec()),
            () -> {
              resourceManager.endForGood();
              signals.shutDown().run();
            },
            signals.fatal());
  }

  /** Leaders as this process sees them; other processes ask the directory. */
  public LocalLeadership leaders() {
    return leaders;
  }

  /**
   * Starts in the order of what depends on what; ResourceManager and Dispatcher wait for each
   * other.
   */
  public void start() {
    blobServer.start();
    resourceManager.start();
    dispatcher.start();
    directory.start();
  }

  /** The cluster is over: when this one stops, its workers end with it. */
  public void endForGood() {
    resourceManager.endForGood();
  }

  /** Stops in reverse; jobs are suspended, not cancelled. */
  public CompletableFuture<Void> stop() {
    return directory
        .stop()
        .thenCompose(x -> dispatcher.stop())
        .thenCompose(x -> resourceManager.stop())
        .thenCompose(x -> stop(blobServer));
  }

  private static CompletableFuture<Void> stop(Endpoint endpoint) {
    return endpoint.stop();
  }
}
