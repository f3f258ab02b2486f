package io.millrace.control.scheduler;

import io.millrace.control.slotpool.AllocatedSlot;
import io.millrace.core.id.VertexId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.PlacementTable;
import io.millrace.protocol.TaskManagerGateway.TaskInSlot;
import io.millrace.task.Placement;
import io.millrace.task.TaskSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Collects the tasks of one deployment worker by worker, and where each of them runs. Tasks talk to
 * those of their own region only, so each region has a table that all its workers get, and regions
 * that are on one worker with all they have are in one table there: what is written down is in
 * proportion to the tasks that are deployed.
 */
final class DeploymentPlan {
  private final WorkerDeployments hosts;
  private final Map<WorkerId, Part> parts = new LinkedHashMap<>();

  /** What one worker gets. */
  private static final class Part {
    private final List<TaskInSlot> tasks = new ArrayList<>();
    private final Table own = new Table();
    private final Set<Table> tables = new LinkedHashSet<>();
  }

  /** Subtasks and where they are. */
  private static final class Table {
    private final Map<WorkerId, Integer> hosts = new LinkedHashMap<>();
    private final List<String> addresses = new ArrayList<>();
    private final Map<VertexId, List<Placement.Run>> runs = new LinkedHashMap<>();
    private Optional<PlacementTable> made = Optional.empty();

    void add(Subtask subtask, WorkerId worker, String address) {
      Integer known = hosts.putIfAbsent(worker, hosts.size());
      int host = known == null ? hosts.size() - 1 : known;
      if (known == null) {
        addresses.add(address);
      }
      List<Placement.Run> ofVertex =
          runs.computeIfAbsent(subtask.vertex.id(), x -> new ArrayList<>());
      int last = ofVertex.size() - 1;
      if (last >= 0 && continues(ofVertex.get(last), subtask.index, host)) {
        Placement.Run run = ofVertex.get(last);
        ofVertex.set(last, new Placement.Run(run.first(), run.count() + 1, host));
      } else {
        ofVertex.add(new Placement.Run(subtask.index, 1, host));
      }
    }

    private static boolean continues(Placement.Run run, int index, int host) {
      return run.host() == host && run.first() + run.count() == index;
    }

    PlacementTable make() {
      if (made.isEmpty()) {
        made = Optional.of(PlacementTable.of(new Placement(addresses, runs)));
      }
      return made.get();
    }
  }

  DeploymentPlan(WorkerDeployments hosts) {
    this.hosts = hosts;
  }

  /** The region has all its slots. */
  void add(Region region) {
    Optional<Table> common = isOnOneWorker(region) ? Optional.empty() : Optional.of(new Table());
    for (Subtask subtask : region.subtasks) {
      AllocatedSlot slot = subtask.slot.slot.orElseThrow();
      Execution execution = subtask.current;
      Part part = parts.computeIfAbsent(slot.worker(), x -> new Part());
      Table table = common.orElse(part.own);
      table.add(subtask, slot.worker(), hosts.dataAddress(slot.worker()));
      part.tables.add(table);
      TaskSpec spec =
          new TaskSpec(subtask.vertex.id(), subtask.index, execution.attempt, execution.id);
      part.tasks.add(new TaskInSlot(spec, slot.allocation()));
    }
  }

  SchedulerAction.Deploy deploy(long number) {
    List<SchedulerAction.Share> shares = new ArrayList<>();
    parts.forEach(
        (worker, part) ->
            shares.add(
                new SchedulerAction.Share(
                    worker, part.tasks, part.tables.stream().map(Table::make).toList())));
    return new SchedulerAction.Deploy(number, shares);
  }

  private static boolean isOnOneWorker(Region region) {
    WorkerId first = region.slots.get(0).slot.orElseThrow().worker();
    for (SharedSlot slot : region.slots) {
      if (!slot.slot.orElseThrow().worker().equals(first)) {
        return false;
      }
    }
    return true;
  }
}
