package io.millrace.graph;

/** Which subtask of the target a record of the source goes to. */
public enum Partitioning {
  /** The one with the same index; both sides have the same parallelism. */
  FORWARD,
  /** The owner of the record's key group. */
  HASH,
  /** All in turn. */
  REBALANCE,
  /** A fixed share of them in turn, so that neighbours stay neighbours. */
  RESCALE,
  /** Every one gets every record. */
  BROADCAST,
  /** What the user's partitioner says. */
  CUSTOM
}
