package io.millrace.control.scheduler;

import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.WorkerId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The workers registered for the job, and their executions that have not ended. */
final class WorkerDeployments {
  private final Map<WorkerId, Host> hosts = new LinkedHashMap<>();

  private static final class Host {
    private final String dataAddress;
    private final Map<ExecutionId, Execution> active = new LinkedHashMap<>();

    Host(String dataAddress) {
      this.dataAddress = dataAddress;
    }
  }

  void add(WorkerId worker, String dataAddress) {
    hosts.put(worker, new Host(dataAddress));
  }

  void remove(WorkerId worker) {
    hosts.remove(worker);
  }

  boolean knows(WorkerId worker) {
    return hosts.containsKey(worker);
  }

  String dataAddress(WorkerId worker) {
    return hosts.get(worker).dataAddress;
  }

  void deployed(WorkerId worker, Execution execution) {
    hosts.get(worker).active.put(execution.id, execution);
  }

  void ended(Execution execution) {
    execution
        .worker()
        .map(hosts::get)
        .ifPresent(host -> host.active.remove(execution.id, execution));
  }

  Optional<Execution> active(WorkerId worker, ExecutionId execution) {
    return Optional.ofNullable(hosts.get(worker)).map(host -> host.active.get(execution));
  }

  List<Execution> active(WorkerId worker) {
    Host host = hosts.get(worker);
    return host == null ? Collections.emptyList() : new ArrayList<>(host.active.values());
  }
}
