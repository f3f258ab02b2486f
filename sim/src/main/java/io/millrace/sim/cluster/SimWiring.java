package io.millrace.sim.cluster;

import io.millrace.control.JobManager;
import io.millrace.control.archive.ArchiveStore;
import io.millrace.control.blob.BlobStore;
import io.millrace.control.driver.WorkerDriver;
import io.millrace.control.ha.HaStore;
import io.millrace.core.config.Configuration;
import io.millrace.ha.zookeeper.nodes.NodeSession;
import io.millrace.ha.zookeeper.nodes.PeerConnections;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.Transport;
import io.millrace.rpc.leader.LeaderRetrieval;
import io.millrace.sim.SimDataflow;
import io.millrace.sim.SimProcess;
import io.millrace.task.TaskHost;
import io.millrace.task.checkpoint.CheckpointStorage;
import io.millrace.worker.slots.SlotTable;
import io.millrace.worker.taskexecutor.WorkerSettings;
import java.util.List;

/**
 * The seam through which all components of a simulated process pass to the production classes. This
 * class returns each component unchanged. A subclass may replace components, per process, to
 * violate invariants on purpose without changes in production code.
 *
 * <p>A wiring belongs to one run and may have state.
 */
public class SimWiring {
  /** The recovery store of a JobManager. */
  public HaStore store(SimProcess process, HaStore real) {
    return real;
  }

  public BlobStore blobs(SimProcess process, BlobStore real) {
    return real;
  }

  /** The archive of ended jobs of a JobManager. */
  public ArchiveStore archive(SimProcess process, ArchiveStore real) {
    return real;
  }

  /** The driver of a JobManager. */
  public WorkerDriver driver(SimProcess process, WorkerDriver real) {
    return real;
  }

  /** The leader election of the components of a JobManager. */
  public JobManager.Leadership leadership(SimProcess process, JobManager.Leadership real) {
    return real;
  }

  /** The session of a JobManager at ZooKeeper. */
  public NodeSession nodes(SimProcess process, NodeSession real) {
    return real;
  }

  /** The connections of a JobManager to others. */
  public PeerConnections peers(SimProcess process, PeerConnections real) {
    return real;
  }

  /** The leader retrieval of a TaskManager or a client. */
  public LeaderRetrieval leaders(SimProcess process, LeaderRetrieval real) {
    return real;
  }

  /** The transport of a process. Only calls between processes use it. */
  public Transport transport(SimProcess process, Transport real) {
    return real;
  }

  /** The task host of a TaskManager. */
  public TaskHost taskHost(SimProcess process, TaskHost real) {
    return real;
  }

  /** The blob cache of a TaskManager. */
  public io.millrace.worker.blobcache.BlobCacheStore workerBlobs(
      SimProcess process, io.millrace.worker.blobcache.BlobCacheStore real) {
    return real;
  }

  /** The checkpoint storage of a process. */
  public CheckpointStorage checkpoints(SimProcess process, CheckpointStorage real) {
    return real;
  }

  /** A bug of the tasks of a TaskManager. */
  public SimDataflow.Flaw flaw(SimProcess process) {
    return SimDataflow.Flaw.NONE;
  }

  /** The slot table of a TaskManager. */
  public SlotTable slotTable(SimProcess process, WorkerSettings settings) {
    return settings.slotTable();
  }

  /**
   * A message leaves its process. The returned messages are sent instead, in order: with another
   * content or token, several, or none, which loses the message without a notice.
   */
  public List<Envelope> sends(String from, String to, Envelope envelope) {
    return List.of(envelope);
  }

  /** The options of a JobManager. */
  public Configuration configuration(SimProcess process, Configuration real) {
    return real;
  }
}
