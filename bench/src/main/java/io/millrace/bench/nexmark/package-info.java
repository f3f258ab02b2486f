/**
 * The queries 0 to 22 of the Nexmark benchmark as programs of the streaming API: {@link
 * io.millrace.bench.nexmark.NexmarkQuery} lists them. The definitions are the SQL statements that
 * are in common use; where a continuous program must decide what SQL leaves open, the Javadoc of
 * the query says how.
 */
package io.millrace.bench.nexmark;
