/** The works on Hazelcast Jet. */
package io.millrace.bench.peers.jet;
