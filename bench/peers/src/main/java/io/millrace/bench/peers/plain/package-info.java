/** The works as hand-written loops, the limit of what an engine could reach. */
package io.millrace.bench.peers.plain;
