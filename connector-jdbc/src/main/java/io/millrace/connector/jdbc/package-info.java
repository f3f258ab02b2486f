/**
 * Tables of databases as source and sink, through JDBC. {@link
 * io.millrace.connector.jdbc.JdbcDatabase} says how to connect, {@link
 * io.millrace.connector.jdbc.JdbcSource} reads the rows of a query in parallel, {@link
 * io.millrace.connector.jdbc.JdbcSink} writes records to a {@link
 * io.millrace.connector.jdbc.JdbcTable}, and {@link io.millrace.connector.jdbc.JdbcTransactionSink}
 * does so in two-phase commits. Drivers are brought by the program; a {@link
 * io.millrace.connector.jdbc.JdbcDialect} has what differs between databases.
 */
package io.millrace.connector.jdbc;
