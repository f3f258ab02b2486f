package io.millrace.dataplane.task;

import io.millrace.core.config.StateBackendOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.OperatorId;
import io.millrace.dataplane.store.LocalStores;
import io.millrace.dataplane.store.StoredState;
import io.millrace.graph.JobVertex;
import io.millrace.task.checkpoint.KeyGroupRange;
import io.millrace.task.store.KeyValueStore;
import io.millrace.task.store.StateBackend;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Opens the keyed state of tasks in the backend of their job. */
final class TaskStores {
  private TaskStores() {}

  /** The keyed state of an operator; empty if that is on the heap. */
  static Optional<StoredState> open(Task task, JobVertex vertex, OperatorId operator) {
    LocalStores stores = task.deployment().services().stores();
    return stores
        .backend(task.deployment().option(StateBackendOptions.TYPE))
        .map(
            backend ->
                new StoredState(
                    opener(task, backend, stores),
                    new StoredState.Owner(
                        KeyGroupRange.of(
                            vertex.maxParallelism(), vertex.parallelism(), task.subtask()),
                        vertex.maxParallelism(),
                        task.deployment().stateCodecs().of(operator).borrowCodec(),
                        task.clock()::read)));
  }

  private static StoredState.Opener opener(Task task, StateBackend backend, LocalStores stores) {
    return new StoredState.Opener() {
      @Override
      public String backend() {
        return backend.name();
      }

      @Override
      public Path directory() {
        return stores.create();
      }

      @Override
      public KeyValueStore open(Path directory) {
        return TaskStores.open(task, backend, directory);
      }
    };
  }

  private static KeyValueStore open(Task task, StateBackend backend, Path directory) {
    try {
      return backend.open(
          new StateBackend.StoreSettings(
              directory,
              task.deployment().services().stores().memory(task.slot().managed()),
              task.label(),
              task.deployment()
                  .services()
                  .configuration()
                  .overriddenBy(task.deployment().graph().configuration()),
              () -> LocalStores.delete(directory)));
    } catch (IOException | RuntimeException e) {
      LocalStores.delete(directory);
      if (e instanceof RuntimeException thrown) {
        throw thrown;
      }
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "The state of task " + task.label() + " cannot be opened: " + e.getMessage(),
          e);
    }
  }
}
