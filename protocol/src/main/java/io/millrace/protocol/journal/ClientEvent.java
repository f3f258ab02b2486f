package io.millrace.protocol.journal;

/** Steps of a client before the cluster knows the job. */
public sealed interface ClientEvent extends JournalEvent {
  /**
   * The program and its files have been uploaded.
   *
   * @param application whether they were staged for a cluster of their own
   */
  record JobSent(boolean application) implements ClientEvent {}
}
