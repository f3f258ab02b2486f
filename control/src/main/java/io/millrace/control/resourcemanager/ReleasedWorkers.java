package io.millrace.control.resourcemanager;

import io.millrace.core.id.InstanceId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.ResourceManagerGateway.RegisterTaskManager;
import io.millrace.protocol.TaskManagerGateway;
import io.millrace.protocol.TaskManagerGateway.ResourceManagerDrops;
import io.millrace.protocol.reason.Reason;
import io.millrace.rpc.Subscription;
import java.util.Map;
import java.util.TreeMap;

/**
 * Released workers with a connection, until the worker pool reports their end. If the connection of
 * a worker breaks before, the worker tries to register again and is rejected. Lives in the mailbox
 * of the ResourceManager.
 */
final class ReleasedWorkers {
  private final ResourceManagerContext context;
  private final Map<WorkerId, Released> workers = new TreeMap<>();

  private static final class Released {
    private final WorkerId id;
    private final InstanceId instance;
    private final TaskManagerGateway gateway;
    private Subscription connectionWatch = () -> {};

    Released(WorkerId id, InstanceId instance, TaskManagerGateway gateway) {
      this.id = id;
      this.instance = instance;
      this.gateway = gateway;
    }
  }

  ReleasedWorkers(ResourceManagerContext context) {
    this.context = context;
  }

  void add(RegisterTaskManager registration, InstanceId instance, TaskManagerGateway gateway) {
    Released worker = new Released(registration.worker(), instance, gateway);
    workers.put(worker.id, worker);
    worker.connectionWatch =
        context
            .rpc()
            .watch(registration.address().process(), context.mailbox(), reason -> remove(worker));
  }

  /** Tells the process of a released worker to end if it still has a connection. */
  void ended(WorkerId id, Reason reason) {
    Released worker = workers.get(id);
    if (worker != null) {
      remove(worker);
      worker.gateway.disconnectResourceManager(
          new ResourceManagerDrops(context.token(), worker.instance, true, reason));
    }
  }

  void close() {
    workers.values().forEach(worker -> worker.connectionWatch.cancel());
  }

  private void remove(Released worker) {
    worker.connectionWatch.cancel();
    workers.remove(worker.id, worker);
  }
}
