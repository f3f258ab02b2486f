package io.millrace.rest;

import io.millrace.core.ResourceProfile;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.core.memory.TaskManagerMemory;
import io.millrace.graph.JobVertex;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobDetails.VertexDetails;
import io.millrace.protocol.WorkerInfo;
import io.millrace.protocol.WorkerInfo.NetworkUse;
import io.millrace.protocol.WorkerInfo.ProcessMetrics;
import io.millrace.protocol.WorkerInfo.SlotInUse;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** TaskManagers as JSON. */
final class WorkerViews {
  private static final long MEBI = 1 << 20;

  private WorkerViews() {}

  static JsonObject overview(WorkerInfo worker, List<JobDetails> jobs) {
    int tasks =
        jobs.stream()
            .flatMap(job -> tasksPerSlot(worker.worker(), job).values().stream())
            .flatMap(Deque::stream)
            .mapToInt(Integer::intValue)
            .sum();
    return new JsonObject()
        .put("id", worker.worker().value())
        .put("path", worker.address().toString())
        .put("dataPort", port(worker.dataAddress()))
        .put("jmxPort", -1)
        .put("timeSinceLastHeartbeat", worker.lastHeartbeatAt())
        .put("slotsNumber", worker.slots())
        .put("freeSlots", worker.freeSlots())
        .put("assignedTasks", tasks)
        .put("totalResource", resource(worker.total()))
        .put("freeResource", resource(worker.free()))
        .put(
            "hardware",
            new JsonObject()
                .put("cpuCores", worker.hardware().cpuCores())
                .put("physicalMemory", worker.hardware().physicalMemory())
                .put("freeMemory", worker.hardware().heap())
                .put("managedMemory", worker.hardware().managed()))
        .put("memoryConfiguration", memory(worker));
  }

  static JsonObject details(WorkerInfo worker, List<JobDetails> jobs) {
    Map<JobId, Map<ResourceProfile, Deque<Integer>>> tasks = new LinkedHashMap<>();
    jobs.forEach(job -> tasks.put(job.id(), tasksPerSlot(worker.worker(), job)));
    JsonArray slots = new JsonArray();
    for (SlotInUse slot : worker.slotsInUse()) {
      Map<ResourceProfile, Deque<Integer>> ofJob =
          tasks.getOrDefault(slot.job(), new LinkedHashMap<>());
      Deque<Integer> any = ofJob.getOrDefault(ResourceProfile.UNSPECIFIED, new ArrayDeque<>());
      Integer assigned = ofJob.getOrDefault(slot.profile(), any).poll();
      slots.add(
          new JsonObject()
              .put("jobId", slot.job().toString())
              .put("resource", resource(slot.profile()))
              .put("assignedTasks", assigned == null ? 0 : assigned));
    }
    return overview(worker, jobs)
        .put("allocatedSlots", slots)
        .put("metrics", metrics(worker.metrics()));
  }

  /**
   * The number of tasks in each slot of a job on a worker, by the profile that the job declares for
   * the slot. Subtasks with the same index and slot sharing group share a slot.
   */
  private static Map<ResourceProfile, Deque<Integer>> tasksPerSlot(
      WorkerId worker, JobDetails job) {
    Map<ResourceProfile, Map<String, Integer>> slots = new LinkedHashMap<>();
    for (VertexDetails details : job.vertices()) {
      JobVertex vertex = job.graph().vertex(details.id());
      for (int i = 0; i < details.subtasks().size(); i++) {
        var subtask = details.subtasks().get(i);
        if (subtask.worker().filter(worker::equals).isPresent() && !subtask.state().isTerminal()) {
          slots
              .computeIfAbsent(job.graph().resourcesOf(vertex), x -> new LinkedHashMap<>())
              .merge(vertex.slotSharingGroup() + "/" + i, 1, Integer::sum);
        }
      }
    }
    Map<ResourceProfile, Deque<Integer>> tasks = new LinkedHashMap<>();
    slots.forEach((profile, counts) -> tasks.put(profile, new ArrayDeque<>(counts.values())));
    return tasks;
  }

  private static int port(String address) {
    try {
      return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    } catch (NumberFormatException e) {
      // An embedded TaskManager exchanges records by reference and has no data port.
      return -1;
    }
  }

  private static JsonObject resource(ResourceProfile profile) {
    return new JsonObject()
        .put("cpuCores", profile.cpuCores())
        .put("taskHeapMemory", profile.taskHeap() / MEBI)
        .put("taskOffHeapMemory", profile.taskOffHeap() / MEBI)
        .put("managedMemory", profile.managed() / MEBI)
        .put("networkMemory", profile.network() / MEBI)
        .put("extendedResources", external(profile));
  }

  private static JsonObject external(ResourceProfile profile) {
    JsonObject json = new JsonObject();
    profile.external().forEach((name, count) -> json.put(name, count.doubleValue()));
    return json;
  }

  /** An embedded TaskManager only has the memory of its slots; the other parts are 0. */
  private static JsonObject memory(WorkerInfo worker) {
    ResourceProfile total = worker.total();
    TaskManagerMemory memory =
        worker
            .hardware()
            .memory()
            .orElseGet(
                () ->
                    new TaskManagerMemory(
                        0,
                        0,
                        total.taskHeap(),
                        total.taskOffHeap(),
                        total.network(),
                        total.managed(),
                        0,
                        0));
    return new JsonObject()
        .put("frameworkHeap", memory.frameworkHeap())
        .put("taskHeap", memory.taskHeap())
        .put("frameworkOffHeap", memory.frameworkOffHeap())
        .put("taskOffHeap", memory.taskOffHeap())
        .put("networkMemory", memory.network())
        .put("managedMemory", memory.managed())
        .put("jvmMetaspace", memory.jvmMetaspace())
        .put("jvmOverhead", memory.jvmOverhead())
        .put("totalFlinkMemory", memory.flink())
        .put("totalProcessMemory", memory.process());
  }

  private static JsonObject metrics(ProcessMetrics metrics) {
    long count = metrics.garbageCollectors().stream().mapToLong(gc -> gc.count()).sum();
    long millis = metrics.garbageCollectors().stream().mapToLong(gc -> gc.millis()).sum();
    JsonArray collectors = new JsonArray().add(collector("All", count, millis));
    metrics
        .garbageCollectors()
        .forEach(
            gc -> collectors.add(collector(gc.name().replace(' ', '_'), gc.count(), gc.millis())));
    JsonObject json =
        new JsonObject()
            .put("heapUsed", metrics.heapUsed())
            .put("heapCommitted", metrics.heapCommitted())
            .put("heapMax", metrics.heapMax())
            .put("nonHeapUsed", metrics.nonHeapUsed())
            .put("nonHeapCommitted", metrics.nonHeapCommitted())
            .put("nonHeapMax", metrics.nonHeapMax())
            .put("directCount", metrics.directCount())
            .put("directUsed", metrics.directUsed())
            .put("directMax", metrics.directMax());
    // The engine maps no files.
    for (String mapped : List.of("mappedCount", "mappedUsed", "mappedMax")) {
      json.put(mapped, 0);
    }
    NetworkUse network = metrics.network();
    long bytes = network.bytesEach();
    int used = network.buffers() - network.free();
    json.put("nettyShuffleMemorySegmentsAvailable", network.free())
        .put("nettyShuffleMemorySegmentsUsed", used)
        .put("nettyShuffleMemorySegmentsTotal", network.buffers())
        .put("nettyShuffleMemoryAvailable", bytes * network.free())
        .put("nettyShuffleMemoryUsed", bytes * used)
        .put("nettyShuffleMemoryTotal", bytes * network.buffers());
    return json.put("garbageCollectors", collectors);
  }

  private static JsonObject collector(String name, long count, long millis) {
    return new JsonObject().put("name", name).put("count", count).put("time", millis);
  }
}
