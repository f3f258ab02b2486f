package io.millrace.control;

import io.millrace.control.archive.ArchiveTargets;
import io.millrace.control.blob.BlobServer;
import io.millrace.control.blob.BlobStore;
import io.millrace.control.cluster.ClusterServices;
import io.millrace.control.dispatcher.DispatcherRunner;
import io.millrace.control.dispatcher.JobStorage;
import io.millrace.control.driver.WorkerDriver;
import io.millrace.control.ha.HaStore;
import io.millrace.control.ha.TermCounter;
import io.millrace.control.resourcemanager.ResourceManagerRunner;
import io.millrace.core.config.Configuration;
import io.millrace.core.security.DelegationTokens;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.Messages;
import io.millrace.protocol.ResourceManagerGateway;
import io.millrace.protocol.ResourceManagerGateway.DeregisterApplication;
import io.millrace.protocol.reason.ApplicationStatus;
import io.millrace.rpc.Endpoint;
import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.leader.EmbeddedLeaderElection;
import io.millrace.rpc.leader.LeaderDirectory;
import io.millrace.rpc.leader.LeaderElection;
import io.millrace.rpc.leader.LeaderGateway;
import io.millrace.rpc.leader.LeaderRetrieval;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The RPC services of a JobManager. Runs in a process of its own, in an embedded cluster and in a
 * simulation.
 */
public final class JobManager {
  private static final Logger LOG = LoggerFactory.getLogger(JobManager.class);

  private final Rpc rpc;
  private final LeaderRetrieval leaders;
  private final LeaderDirectory directory;
  private final BlobServer blobServer;
  private final ResourceManagerRunner resourceManager;
  private final DispatcherRunner dispatcher;

  /**
   * The storage, the worker driver and the delegation tokens of a JobManager.
   *
   * @param archives where ended jobs are written
   */
  public record Backing(
      BlobStore blobs,
      HaStore store,
      WorkerDriver driver,
      DelegationTokens tokens,
      ArchiveTargets archives) {
    /** Without delegation tokens and without an archive of ended jobs. */
    public Backing(BlobStore blobs, HaStore store, WorkerDriver driver) {
      this(blobs, store, driver, DelegationTokens.NONE, ArchiveTargets.NONE);
    }

    public Backing {
      Objects.requireNonNull(archives);
      Objects.requireNonNull(blobs);
      Objects.requireNonNull(store);
      Objects.requireNonNull(driver);
      Objects.requireNonNull(tokens);
    }
  }

  /**
   * Callbacks to the process that runs the JobManager.
   *
   * @param shutDown the cluster is to shut down
   * @param fatal a component has failed and the process has to end
   */
  public record Signals(Runnable shutDown, Consumer<Throwable> fatal) {
    public Signals {
      Objects.requireNonNull(shutDown);
      Objects.requireNonNull(fatal);
    }
  }

  /**
   * The election in which the components of a JobManager take part, and the retrieval of leaders.
   */
  public record Leadership(LeaderElection election, LeaderRetrieval leaders) {
    public Leadership {
      Objects.requireNonNull(election);
      Objects.requireNonNull(leaders);
    }

    /**
     * Leadership of the only JobManager of a cluster, which always wins. Reserves its terms in the
     * store and may block.
     */
    public static Leadership alone(Env env, HaStore store) {
      EmbeddedLeaderElection local =
          new EmbeddedLeaderElection(env, TermCounter.reserve(store, env.wallMillis()));
      return new Leadership(local, local);
    }
  }

  /** The only JobManager of its cluster. Reserves its terms in the store and may block. */
  public JobManager(Rpc rpc, Configuration configuration, Backing backing, Signals signals) {
    this(rpc, configuration, backing, signals, Leadership.alone(rpc.env(), backing.store()));
  }

  /** One of several JobManagers, of which the election makes one the leader. */
  public JobManager(
      Rpc rpc,
      Configuration configuration,
      Backing backing,
      Signals signals,
      Leadership leadership) {
    this.rpc = rpc;
    leaders = leadership.leaders();
    directory = new LeaderDirectory(rpc, leaders);
    blobServer = new BlobServer(rpc, backing.blobs());
    ClusterServices cluster =
        new ClusterServices(rpc, leadership.election(), leaders, configuration);
    resourceManager =
        new ResourceManagerRunner(
            cluster,
            new ResourceManagerRunner.Backing(backing.driver(), backing.tokens(), backing.store()),
            signals.fatal());
    dispatcher =
        new DispatcherRunner(
            cluster,
            new JobStorage(
                backing.blobs(), backing.store(), backing.archives(), Messages.graphCodec()),
            signals.shutDown(),
            signals.fatal());
  }

  /** The leaders as this process knows them. Other processes ask the LeaderDirectory. */
  public LeaderRetrieval leaders() {
    return leaders;
  }

  /**
   * Starts the services in the order of their dependencies. ResourceManager and Dispatcher find
   * each other through the election.
   */
  public void start() {
    blobServer.start();
    resourceManager.start();
    dispatcher.start();
    directory.start();
  }

  /**
   * Deregisters the application: when the ResourceManager stops, its workers end, and the driver
   * reports the final status to the resource provider.
   */
  public CompletableFuture<Void> deregister(ApplicationStatus status, String diagnostics) {
    Mailbox mailbox = rpc.env().mailbox("deregistration");
    LeaderGateway<ResourceManagerGateway> leaderGateway =
        new LeaderGateway<>(
            rpc, leaders, ResourceManagerGateway.class, ComponentNames.RESOURCE_MANAGER, mailbox);
    return leaderGateway
        .find()
        .thenCompose(
            gateway ->
                gateway.deregisterApplication(new DeregisterApplication(status, diagnostics)))
        .handle(
            (done, failure) -> {
              if (failure != null) {
                LOG.warn(
                    "The application could not be deregistered; its workers keep running", failure);
              }
              leaderGateway.close();
              mailbox.close();
              return null;
            });
  }

  /** Stops in reverse order. Jobs are suspended, not cancelled. */
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
