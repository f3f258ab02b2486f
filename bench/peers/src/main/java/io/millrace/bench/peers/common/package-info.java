/** What the works share: text, generators, meters. */
package io.millrace.bench.peers.common;
