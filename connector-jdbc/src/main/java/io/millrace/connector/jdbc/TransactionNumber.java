package io.millrace.connector.jdbc;

/**
 * The state of a writer of {@link JdbcTransactionSink}.
 *
 * @param next the number of its next transaction; all of its transactions in the checkpoint have
 *     lower ones
 */
record TransactionNumber(int subtask, String run, long next) {
  /** Whether the checkpoint contains a transaction, or an earlier one did. */
  boolean contains(TransactionXid xid) {
    return subtask == xid.subtask() && run.equals(xid.run()) && xid.number() < next;
  }
}
