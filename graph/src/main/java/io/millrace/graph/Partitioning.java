package io.millrace.graph;

/** The rule that selects the target subtask of a record. */
public enum Partitioning {
  /** The subtask with the same index; both sides have the same parallelism. */
  FORWARD,
  /** The subtask that owns the key group of the record. */
  HASH,
  /** All subtasks, round-robin. */
  REBALANCE,
  /** A fixed range of subtasks, round-robin, so that fewer channels are needed. */
  RESCALE,
  /** All subtasks get every record. */
  BROADCAST,
  /** The subtask that a partitioner of the program chooses. */
  CUSTOM,
  /** All subtasks, at random. */
  SHUFFLE
}
