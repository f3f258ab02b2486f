package io.millrace.control.scheduler;

import io.millrace.control.slotpool.AllocatedSlot;
import io.millrace.core.id.VertexId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.PlacementTable;
import io.millrace.protocol.TaskManagerGateway.TaskInSlot;
import io.millrace.task.Placement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Collects the tasks and the placement of one deployment per worker. Tasks exchange records only
 * within their region. Each region therefore has one placement table, which all its workers get;
 * regions that run on a single worker share a table of that worker. The size of the tables is
 * proportional to the number of deployed tasks.
 */
final class DeploymentPlan {
  private final WorkerDeployments hosts;
  private final Map<WorkerId, Part> parts = new LinkedHashMap<>();

  /** The part of one worker. */
  private static final class Part {
    private final List<TaskInSlot> tasks = new ArrayList<>();
    private final Table local = new Table();
    private final Set<Table> tables = new LinkedHashSet<>();
  }

  /** A placement table that is being built. */
  private static final class Table {
    private final Map<WorkerId, Integer> hosts = new LinkedHashMap<>();
    private final List<String> addresses = new ArrayList<>();
    private final Map<VertexId, List<Placement.Run>> runs = new LinkedHashMap<>();
    private Optional<PlacementTable> encoded = Optional.empty();

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

    PlacementTable encode() {
      if (encoded.isEmpty()) {
        encoded = Optional.of(PlacementTable.of(new Placement(addresses, runs)));
      }
      return encoded.get();
    }
  }

  DeploymentPlan(WorkerDeployments hosts) {
    this.hosts = hosts;
  }

  /** Adds a region that has all its slots. */
  void add(Region region) {
    Optional<Table> shared = isOnOneWorker(region) ? Optional.empty() : Optional.of(new Table());
    for (Subtask subtask : region.subtasks) {
      AllocatedSlot slot = subtask.slot.slot.orElseThrow();
      Part part = parts.computeIfAbsent(slot.worker(), x -> new Part());
      Table table = shared.orElse(part.local);
      table.add(subtask, slot.worker(), hosts.dataAddress(slot.worker()));
      part.tables.add(table);
      part.tasks.add(new TaskInSlot(subtask.spec(), slot.allocation()));
    }
  }

  SchedulerAction.Deploy deploy(long number) {
    List<SchedulerAction.Share> shares = new ArrayList<>();
    parts.forEach(
        (worker, part) ->
            shares.add(
                new SchedulerAction.Share(
                    worker, part.tasks, part.tables.stream().map(Table::encode).toList())));
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
