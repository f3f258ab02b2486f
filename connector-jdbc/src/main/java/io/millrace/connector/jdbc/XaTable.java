package io.millrace.connector.jdbc;

/**
 * A table that is written in two-phase commits.
 *
 * @param sink the name of the sink in the database
 * @param dataSource null for that of the dialect
 */
record XaTable<T>(
    JdbcDatabase database,
    JdbcTable<T> table,
    String sink,
    XaDataSourceSupplier dataSource,
    int batchSize) {
  XaSession connect() throws InterruptedException {
    return XaSession.open(database, dataSource);
  }
}
