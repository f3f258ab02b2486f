package io.millrace.sim.scenario;

import io.millrace.core.OrderedCopies;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.sim.SimDriver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * All that is decided before a run: the cluster, its jobs, the actions of clients and the faults.
 * It is data, drawn from a seed or written by hand, so that parts of it can be left out.
 *
 * @param calm when the faults end
 * @param removed the parts that were left out, as in {@link #without}
 */
public record Scenario(
    long seed,
    ScenarioKind kind,
    Shape shape,
    Configuration configuration,
    List<SimJob> jobs,
    List<ClientAction> acts,
    List<Fault> faults,
    Duration calm,
    List<String> removed) {

  public Scenario {
    jobs = OrderedCopies.list(jobs);
    acts = OrderedCopies.list(acts);
    faults = OrderedCopies.list(faults);
    removed = OrderedCopies.list(removed);
  }

  /**
   * @param workers the number of workers of a cluster that does not start them on demand
   * @param most the limit of workers of a cluster that starts them on demand
   * @param tokenLife the lifetime of the delegation tokens that all processes need; zero for none
   * @param storeType the store for recovery data
   * @param driver the driver of a cluster that starts workers on demand
   */
  public record Shape(
      int jobManagers,
      boolean elastic,
      int workers,
      int slots,
      int most,
      Duration tokenLife,
      StoreType storeType,
      SimDriver.Type driver) {
    /** A cluster without tokens and with a store in memory. */
    public Shape(int jobManagers, boolean elastic, int workers, int slots, int most) {
      this(jobManagers, elastic, workers, slots, most, Duration.ZERO);
    }

    /** A cluster with a store in memory. */
    public Shape(
        int jobManagers, boolean elastic, int workers, int slots, int most, Duration tokenLife) {
      this(
          jobManagers,
          elastic,
          workers,
          slots,
          most,
          tokenLife,
          StoreType.MEMORY,
          SimDriver.Type.REMOTE);
    }

    /** The same cluster with another store. */
    public Shape on(StoreType other) {
      return new Shape(jobManagers, elastic, workers, slots, most, tokenLife, other, driver);
    }

    /** The same cluster with another driver. */
    public Shape with(SimDriver.Type other) {
      return new Shape(jobManagers, elastic, workers, slots, most, tokenLife, storeType, other);
    }

    public boolean needsTokens() {
      return !tokenLife.isZero();
    }

    public List<String> jobManagerNames() {
      return names("jobmanager-", jobManagers);
    }

    public List<String> workerNames() {
      return names("worker-", elastic ? 0 : workers);
    }

    /** The slots of all workers within the limit. */
    public int capacity() {
      return slots * (elastic ? most : workers);
    }

    /** The resources that the slots of a worker of the default size share. */
    public ResourceProfile worker() {
      return new ResourceProfile(slots, 0, 0, 0, 0);
    }

    private static List<String> names(String prefix, int count) {
      List<String> names = new ArrayList<>();
      for (int i = 1; i <= count; i++) {
        names.add(prefix + i);
      }
      return names;
    }
  }

  /** Where JobManagers keep recovery data. */
  public enum StoreType {
    /** In memory that survives the process and that several processes share. */
    MEMORY,
    /** In files on the disk of the machine, with the production store. */
    FILE,
    /** In files on shared storage, with the production store. */
    FENCED,
    /** In nodes of ZooKeeper, with the production store and the production election. */
    ZOOKEEPER
  }

  /** Draws the scenario of a kind from a seed. */
  public static Scenario draw(long seed, ScenarioKind kind) {
    return new ScenarioGenerator(seed, kind).scenario();
  }

  /**
   * Whether a coordinator elects the leaders. A single JobManager has one, too, in scenarios about
   * leadership: it may lose its session and lead again under another term.
   */
  public boolean isCoordinated() {
    return shape.jobManagers() > 1 || kind == ScenarioKind.JOBMANAGERS;
  }

  /**
   * Whether all jobs can run at once, whichever slots they get. A slot that is larger than a worker
   * of the default size takes a worker of its own, and a smaller slot may occupy that worker first.
   */
  public boolean hasRoomForAll() {
    return hasRoomFor(slots());
  }

  /** Whether no job waits for another one, even if each holds twice the slots that it needs. */
  public boolean hasRoomForSurplus() {
    return jobs.size() < 2 || hasRoomFor(2 * slots());
  }

  private int slots() {
    int slots = jobs.stream().mapToInt(SimJob::slots).sum();
    for (ClientAction act : acts) {
      if (act instanceof ClientAction.Resume resume) {
        slots -= jobs.get(resume.job()).slots(); // It gets the slots of the job before it.
      }
    }
    return slots;
  }

  private boolean hasRoomFor(int slots) {
    boolean larger = jobs.stream().anyMatch(job -> job.slotsBeyond(shape.worker()) > 0);
    return slots <= (larger ? shape.most() : shape.capacity());
  }

  /** Workers of the default size that the configured minimums require, independent of jobs. */
  public int leastWorkers() {
    double slots =
        Math.max(
            configuration.get(ResourceManagerOptions.MIN_SLOT_NUM),
            configuration.get(ResourceManagerOptions.MIN_TOTAL_CPU));
    return (int) Math.ceil(slots / shape.slots());
  }

  /**
   * The parts that can be left out: {@code f3} is a fault, {@code a1} an action of a client, {@code
   * j2} a job, {@code w4} a worker.
   */
  public List<String> parts() {
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < jobs.size(); i++) {
      parts.add("j" + i);
    }
    for (int i = 0; i < faults.size(); i++) {
      parts.add("f" + i);
    }
    for (int i = 0; i < acts.size(); i++) {
      parts.add("a" + i);
    }
    if (!shape.elastic()) {
      for (int i = shape.workers(); i > 1; i--) {
        parts.add("w" + i);
      }
    }
    return parts;
  }

  /** The same scenario without some parts, which are numbered as in the whole scenario. */
  public Scenario without(List<String> parts) {
    List<Fault> keptFaults = new ArrayList<>();
    for (int i = 0; i < faults.size(); i++) {
      if (!parts.contains("f" + i)) {
        keptFaults.add(faults.get(i));
      }
    }
    List<ClientAction> keptActs = new ArrayList<>();
    for (int i = 0; i < acts.size(); i++) {
      if (!parts.contains("a" + i) && !parts.contains("j" + jobOf(acts.get(i)))) {
        keptActs.add(acts.get(i));
      }
    }
    int workers = shape.workers();
    for (String part : parts) {
      workers -= part.startsWith("w") ? 1 : 0;
    }
    return new Scenario(
        seed,
        kind,
        new Shape(
            shape.jobManagers(),
            shape.elastic(),
            Math.max(1, workers),
            shape.slots(),
            shape.most(),
            shape.tokenLife(),
            shape.storeType(),
            shape.driver()),
        configuration,
        jobs,
        keptActs,
        keptFaults,
        calm,
        parts);
  }

  private static int jobOf(ClientAction act) {
    if (act instanceof ClientAction.Submit submit) {
      return submit.job();
    } else if (act instanceof ClientAction.Cancel cancel) {
      return cancel.job();
    } else if (act instanceof ClientAction.AwaitResult await) {
      return await.job();
    }
    if (act instanceof ClientAction.DeleteResults delete) {
      return delete.job();
    } else if (act instanceof ClientAction.Savepoint savepoint) {
      return savepoint.job();
    } else if (act instanceof ClientAction.Stop stop) {
      return stop.job();
    } else if (act instanceof ClientAction.Resume resume) {
      return resume.job();
    } else if (act instanceof ClientAction.EarlierRun run) {
      return run.job();
    }
    return act instanceof ClientAction.Describe describe ? describe.job() : -1;
  }

  /** One line per part, for people. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        shape.jobManagers()
            + " JobManagers, "
            + (shape.elastic() ? "up to " + shape.most() : String.valueOf(shape.workers()))
            + " workers of "
            + shape.slots()
            + " slots"
            + (shape.elastic() ? ", driver " + shape.driver() : "")
            + (shape.storeType() == StoreType.MEMORY ? "" : ", store " + shape.storeType())
            + (shape.needsTokens() ? ", tokens for " + shape.tokenLife().toSeconds() + " s" : "")
            + ", calm after "
            + calm.toMillis()
            + " ms");
    lines.add("options " + configuration);
    for (int i = 0; i < jobs.size(); i++) {
      SimJob job = jobs.get(i);
      lines.add(
          "job "
              + i
              + " "
              + job.id()
              + ": "
              + job.tasks()
              + " tasks in "
              + job.slots()
              + " slots, "
              + job.behaviour()
              + (job.declaresResources() ? ", declares " + job.graph().resources() : "")
              + ", "
              + job.graph().configuration());
    }
    acts.forEach(act -> lines.add("act " + act));
    faults.forEach(fault -> lines.add("fault " + fault));
    if (!removed.isEmpty()) {
      lines.add("without " + String.join(",", removed));
    }
    return lines;
  }
}
