package io.millrace.task.store;

import io.millrace.core.config.Configuration;
import io.millrace.core.memory.ManagedMemory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Keeps the keyed state of tasks outside the heap. Found by {@link java.util.ServiceLoader}, so it
 * has a public constructor without arguments, which must be cheap: native libraries are loaded with
 * the first store.
 */
public interface StateBackend {
  /** The value of {@code state.backend.type} that selects it. */
  String name();

  /**
   * Opens the store of a task.
   *
   * @throws io.millrace.core.error.MillraceException if the slot has too little managed memory
   */
  KeyValueStore open(StoreSettings settings) throws IOException;

  /**
   * What a store needs.
   *
   * @param directory its own local directory: empty, or with the files of {@link
   *     KeyValueStore#checkpoint}, which the store continues
   * @param memory the managed memory of the slot
   * @param task for messages
   * @param configuration the job's own, over that of the process
   * @param whenClosed called when the store uses its directory and its memory no more
   */
  record StoreSettings(
      Path directory,
      ManagedMemory memory,
      String task,
      Configuration configuration,
      Runnable whenClosed) {
    public StoreSettings {
      Objects.requireNonNull(whenClosed);
      Objects.requireNonNull(directory);
      Objects.requireNonNull(memory);
      Objects.requireNonNull(task);
      Objects.requireNonNull(configuration);
    }
  }
}
