package io.millrace.sim.cluster;

import io.millrace.control.JobManager;
import io.millrace.control.archive.ArchiveStore;
import io.millrace.control.blob.BlobStore;
import io.millrace.control.driver.WorkerDriver;
import io.millrace.control.ha.HaStore;
import io.millrace.core.config.Configuration;
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
 * The one place where what a simulated process is made of passes on its way to the production
 * classes. As it stands everything passes unchanged; a subclass may put something else in its
 * place, for each process apart. That is how rules are broken on purpose: nothing in production
 * code knows of it.
 *
 * <p>A wiring belongs to one run and may remember things.
 */
public class SimWiring {
  /** What a JobManager stores, for its next one. */
  public HaStore store(SimProcess process, HaStore real) {
    return real;
  }

  public BlobStore blobs(SimProcess process, BlobStore real) {
    return real;
  }

  /** Where a JobManager keeps what it tells of jobs that have ended. */
  public ArchiveStore archive(SimProcess process, ArchiveStore real) {
    return real;
  }

  /** Where the workers of a JobManager come from. */
  public WorkerDriver driver(SimProcess process, WorkerDriver real) {
    return real;
  }

  /** How components of a JobManager come to lead and find each other. */
  public JobManager.Leadership leadership(SimProcess process, JobManager.Leadership real) {
    return real;
  }

  /** How a TaskManager or a client finds leaders. */
  public LeaderRetrieval leaders(SimProcess process, LeaderRetrieval real) {
    return real;
  }

  /** How a process reaches others. Only calls between processes pass here. */
  public Transport transport(SimProcess process, Transport real) {
    return real;
  }

  /** What runs the tasks of a TaskManager. */
  public TaskHost taskHost(SimProcess process, TaskHost real) {
    return real;
  }

  /** Where a TaskManager keeps the graphs and jars that it has fetched. */
  public io.millrace.worker.blobcache.BlobCacheStore workerBlobs(
      SimProcess process, io.millrace.worker.blobcache.BlobCacheStore real) {
    return real;
  }

  /** Where a process reads and writes checkpoints. */
  public CheckpointStorage checkpoints(SimProcess process, CheckpointStorage real) {
    return real;
  }

  /** A bug of the tasks of a TaskManager. */
  public SimDataflow.Flaw flaw(SimProcess process) {
    return SimDataflow.Flaw.NONE;
  }

  /** The slots of a TaskManager. */
  public SlotTable slotTable(SimProcess process, WorkerSettings settings) {
    return settings.slotTable();
  }

  /**
   * A message leaves its process: what is returned is carried instead, in order. It may have
   * another content or another token, there may be more of it, or nothing, which loses it without
   * anybody noticing.
   */
  public List<Envelope> sends(String from, String to, Envelope envelope) {
    return List.of(envelope);
  }

  /** The options of a JobManager. */
  public Configuration configuration(SimProcess process, Configuration real) {
    return real;
  }
}
