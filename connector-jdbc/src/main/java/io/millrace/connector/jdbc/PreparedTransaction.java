package io.millrace.connector.jdbc;

/**
 * A committable of {@link JdbcTransactionSink}: a transaction that the database keeps until it is
 * committed or rolled back.
 *
 * @param databaseId the id that the database has given to it, for a look at its outcome; empty if
 *     the database has no such ids
 */
record PreparedTransaction(String prefix, int subtask, String run, long number, String databaseId) {
  TransactionXid xid() {
    return new TransactionXid(prefix, subtask, run, number);
  }
}
