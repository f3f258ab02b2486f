package io.millrace.graph;

/** BATCH jobs have bounded sources and emit aggregates at the end of input. */
public enum JobType {
  STREAMING,
  BATCH
}
