package io.millrace.control.scheduler;

import io.millrace.core.id.AllocationId;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.JobMasterGateway.KeptTask;
import io.millrace.protocol.StoredDeployment;
import io.millrace.protocol.StoredDeployment.StoredExecution;
import io.millrace.protocol.StoredDeployment.StoredSlot;
import io.millrace.task.TaskState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Decides which regions a new leader adopts from its predecessor.
 *
 * <ul>
 *   <li>A task is adopted if its TaskManager reports it with the execution and the slot that are
 *       stored for its subtask. Another execution of the subtask is an older or an unknown one.
 *   <li>It goes on from the last completed checkpoint: it was deployed with it, or before it began.
 *   <li>A region is adopted as a whole: its tasks exchange records.
 *   <li>So are the regions that share a slot: a slot is taken over with all tasks that run in it,
 *       or after all of them have ended.
 *   <li>A task that has ended is adopted with its end, except one that was cancelled: the
 *       predecessor was restarting its region.
 * </ul>
 *
 * <p>A plain object, confined to the mailbox of its JobMaster. An event costs time in proportion to
 * the tasks of the job.
 */
public final class RegionAdoption {
  private final ExecutionGraph graph;
  private final StoredDeployment stored;
  private final long completed;
  private final Map<WorkerId, Map<ExecutionId, KeptTask>> reports = new HashMap<>();
  private final Set<AllocationId> offered = new HashSet<>();

  /** What is known of a task or a region, from the best to the worst. */
  private enum Verdict {
    COMPLETE,
    /** A TaskManager has not reported yet. */
    AWAITED,
    /** It has to be restarted. */
    MISSING;

    Verdict and(Verdict other) {
      return compareTo(other) > 0 ? this : other;
    }
  }

  /**
   * @param stored of the job of the graph
   * @param completed the last checkpoint that is complete; 0 for none
   */
  RegionAdoption(ExecutionGraph graph, StoredDeployment stored, long completed) {
    if (stored.executions().size() != graph.subtasks.size()) {
      throw new IllegalArgumentException(
          "Stored are "
              + stored.executions().size()
              + " executions of "
              + graph.subtasks.size()
              + " subtasks");
    }
    this.graph = graph;
    this.stored = stored;
    this.completed = completed;
  }

  /** The number of tasks that may be adopted. */
  public int tasks() {
    return (int) stored.executions().stream().filter(StoredExecution::isDeployed).count();
  }

  /** The TaskManagers that may have kept tasks. */
  public Set<WorkerId> workers() {
    Set<WorkerId> workers = new LinkedHashSet<>();
    stored.slots().forEach(slot -> workers.add(slot.worker()));
    return workers;
  }

  /** A TaskManager reports all tasks that it has kept. Its last report counts. */
  public void reported(WorkerId worker, List<KeptTask> tasks) {
    Map<ExecutionId, KeptTask> byExecution = new HashMap<>();
    tasks.forEach(task -> byExecution.put(task.execution(), task));
    reports.put(worker, byExecution);
  }

  /**
   * A TaskManager offers slots. It offers a slot only after all tasks in it have ended, also those
   * that it has reported as running before.
   */
  public void offered(List<AllocationId> slots) {
    offered.addAll(slots);
  }

  /** A TaskManager is lost. It may register and report again. */
  public void workerLost(WorkerId worker) {
    reports.remove(worker);
  }

  /** Whether no further report changes the decision. */
  public boolean isDecided() {
    for (Verdict verdict : verdicts()) {
      if (verdict == Verdict.AWAITED) {
        return false;
      }
    }
    return true;
  }

  /** The regions that are adopted if no further report comes. */
  List<Region> adopted() {
    Verdict[] verdicts = verdicts();
    List<Region> adopted = new ArrayList<>();
    for (Region region : graph.regions) {
      if (verdicts[region.id] == Verdict.COMPLETE) {
        adopted.add(region);
      }
    }
    return adopted;
  }

  StoredExecution execution(int subtask) {
    return stored.executions().get(subtask);
  }

  StoredSlot slot(StoredExecution execution) {
    return stored.slots().get(execution.slot());
  }

  /** Whether a task of an adopted region has not ended, so that it needs its slot. */
  boolean isRunning(StoredExecution execution) {
    StoredSlot slot = slot(execution);
    return !offered.contains(slot.allocation())
        && !reports.get(slot.worker()).get(execution.execution()).state().isTerminal();
  }

  /** By the ids of the regions. */
  private Verdict[] verdicts() {
    Verdict[] verdicts = new Verdict[graph.regions.size()];
    for (Region region : graph.regions) {
      verdicts[region.id] = Verdict.COMPLETE;
    }
    for (int i = 0; i < graph.subtasks.size(); i++) {
      int region = graph.subtasks.get(i).region.id;
      verdicts[region] = verdicts[region].and(verdict(execution(i)));
    }
    boolean changed = true;
    while (changed) {
      changed = false;
      for (SharedSlot slot : graph.slots) {
        Verdict worst = Verdict.COMPLETE;
        for (Region region : slot.regions) {
          worst = worst.and(verdicts[region.id]);
        }
        for (Region region : slot.regions) {
          changed |= verdicts[region.id] != worst;
          verdicts[region.id] = worst;
        }
      }
    }
    return verdicts;
  }

  private Verdict verdict(StoredExecution execution) {
    if (!execution.isDeployed() || !execution.continues(completed)) {
      return Verdict.MISSING;
    }
    StoredSlot slot = slot(execution);
    Map<ExecutionId, KeptTask> report = reports.get(slot.worker());
    if (report == null) {
      return Verdict.AWAITED;
    }
    KeptTask kept = report.get(execution.execution());
    return kept != null
            && kept.slot().equals(slot.allocation())
            && kept.state() != TaskState.CANCELED
        ? Verdict.COMPLETE
        : Verdict.MISSING;
  }
}
