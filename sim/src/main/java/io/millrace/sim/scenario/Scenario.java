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
 * All that is decided before a run: the cluster, its jobs, what clients do and what goes wrong
 * when. It is data, drawn from a seed or written down, so that parts of it can be left out.
 *
 * @param calm from when on nothing goes wrong any more
 * @param removed what was left out, in the words of {@link #without}
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
   * @param workers how many there are at the beginning, where nobody starts them on demand
   * @param most how many there may be where somebody does
   * @param tokenLife how long the delegation tokens last that all processes need; zero for none
   * @param storeType where a JobManager keeps what its next one needs
   * @param driver where workers come from, where they are started on demand
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
    /** Of a cluster that needs no tokens and whose store needs no disk. */
    public Shape(int jobManagers, boolean elastic, int workers, int slots, int most) {
      this(jobManagers, elastic, workers, slots, most, Duration.ZERO);
    }

    /** Of a cluster whose store needs no disk. */
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

    /** The same on another store. */
    public Shape on(StoreType other) {
      return new Shape(jobManagers, elastic, workers, slots, most, tokenLife, other, driver);
    }

    /** The same with another driver. */
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

    /** Slots that there are, or can be. */
    public int capacity() {
      return slots * (elastic ? most : workers);
    }

    /** What the slots of a worker share, where no job asks for larger ones. */
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

  /** Where a JobManager keeps what its next one needs. */
  public enum StoreType {
    /** In memory that outlives it and that several may use. */
    MEMORY,
    /** In files on the disk of its machine, as the production store does. */
    FILE,
    /** In files on storage that many machines see, as the production store does. */
    FENCED
  }

  /** The scenario of a kind that a seed stands for. */
  public static Scenario draw(long seed, ScenarioKind kind) {
    return new ScenarioGenerator(seed, kind).scenario();
  }

  /**
   * Whether JobManagers lead by the word of a coordinator. A single one does, too, where leading is
   * what it is about: it may lose its session and lead again under another term.
   */
  public boolean isCoordinated() {
    return shape.jobManagers() > 1 || kind == ScenarioKind.JOBMANAGERS;
  }

  /**
   * Whether all jobs can run at once, wherever their slots come to lie. A slot that is larger than
   * the usual worker takes one of its own, and any other may lie in it at first.
   */
  public boolean hasRoomForAll() {
    return hasRoomFor(slots());
  }

  /** Whether no job waits for another one, even where each holds twice the slots that it needs. */
  public boolean hasRoomForSurplus() {
    return jobs.size() < 2 || hasRoomFor(2 * slots());
  }

  private int slots() {
    return jobs.stream().mapToInt(SimJob::slots).sum();
  }

  private boolean hasRoomFor(int slots) {
    boolean larger = jobs.stream().anyMatch(job -> job.slotsBeyond(shape.worker()) > 0);
    return slots <= (larger ? shape.most() : shape.capacity());
  }

  /** Workers of the usual size that the configured minimums ask for, whatever jobs need. */
  public int leastWorkers() {
    double slots =
        Math.max(
            configuration.get(ResourceManagerOptions.MIN_SLOT_NUM),
            configuration.get(ResourceManagerOptions.MIN_TOTAL_CPU));
    return (int) Math.ceil(slots / shape.slots());
  }

  /**
   * What can be left out of it: {@code f3} the third fault, {@code a1} an act, {@code j2} a job.
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

  /** The same without some parts of it, by the numbers they have in the whole. */
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
    }
    return act instanceof ClientAction.Describe describe ? describe.job() : -1;
  }

  /** Readable, a line for each part. */
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
