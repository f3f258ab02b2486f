package io.millrace.cluster;

import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.WorkerId;
import io.millrace.dataplane.wire.DataPort;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The TaskManagers of an embedded cluster that has several. */
final class EmbeddedTaskManagers {
  private static final int SECRET_BYTES = 32;

  private final int slots;
  private final Bytes secret;
  private final Map<WorkerId, TaskManagerRunner> running = new LinkedHashMap<>();
  private int started;

  /**
   * @param slots of each TaskManager
   */
  EmbeddedTaskManagers(int slots) {
    this.slots = slots;
    byte[] random = new byte[SECRET_BYTES];
    new SecureRandom().nextBytes(random);
    this.secret = Bytes.wrap(random);
  }

  /** Starts a TaskManager. */
  interface Starter {
    TaskManagerRunner start(WorkerId id, int slots, DataPort port);
  }

  synchronized WorkerId start(Starter starter) {
    WorkerId id = new WorkerId("taskmanager-" + ++started);
    running.put(id, starter.start(id, slots, DataPort.loopback(0, secret)));
    return id;
  }

  synchronized List<WorkerId> ids() {
    return List.copyOf(running.keySet());
  }

  synchronized CompletableFuture<Void> kill(WorkerId id) {
    TaskManagerRunner found = running.remove(id);
    if (found == null) {
      throw new MillraceException(
          ErrorKind.USER, "No TaskManager '" + id + "' runs; there are " + running.keySet() + ".");
    }
    return found.kill();
  }

  synchronized boolean fail(ExecutionId task, Failure why) {
    return running.values().stream().anyMatch(runner -> runner.fail(task, why));
  }

  synchronized List<CompletableFuture<Void>> stopAll() {
    List<CompletableFuture<Void>> stopped = new ArrayList<>();
    running.values().forEach(runner -> stopped.add(runner.stop()));
    running.clear();
    return stopped;
  }
}
