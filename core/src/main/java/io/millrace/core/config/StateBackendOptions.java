package io.millrace.core.config;

/** Options of the state of tasks. */
public final class StateBackendOptions {
  /** The backend on the heap. */
  public static final String HASHMAP = "hashmap";

  public static final Option<String> TYPE =
      Option.text(
              "state.backend.type",
              HASHMAP,
              "Where tasks keep keyed state and timers: hashmap on the heap, rocksdb on the local"
                  + " disk, with managed memory as its cache.")
          .perJob();

  private StateBackendOptions() {}
}
