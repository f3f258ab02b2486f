/** The works on Apache Flink. */
package io.millrace.bench.peers.flink;
