package io.millrace.graph;

/** Whether a job's sources end by themselves and its aggregations wait for that. */
public enum JobType {
  STREAMING,
  BATCH
}
