package io.millrace.api.program;

import io.millrace.api.function.KeySelector;
import io.millrace.api.function.Partitioner;
import java.util.Objects;

/** How a program says that records go from one operator to the instances of the next. */
public sealed interface Routing {
  /** To the instance with the same index. */
  record Forward() implements Routing {}

  /** To all instances in turn. */
  record Rebalance() implements Routing {}

  /** To a fixed share of the instances in turn. */
  record Rescale() implements Routing {}

  /** To any instance, at random. */
  record Shuffle() implements Routing {}

  /** To every instance. */
  record Broadcast() implements Routing {}

  /** To the owner of the record's key. */
  record Keyed(KeySelector<Object, Object> key) implements Routing {
    public Keyed {
      Objects.requireNonNull(key);
    }
  }

  /** To the instance that the user's partitioner chooses for the record's key. */
  record Custom(KeySelector<Object, Object> key, Partitioner<Object> partitioner)
      implements Routing {
    public Custom {
      Objects.requireNonNull(key);
      Objects.requireNonNull(partitioner);
    }
  }
}
