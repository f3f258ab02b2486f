/**
 * Cost of a call between components: {@link io.millrace.bench.rpc.RpcBenchmark}, in one process and
 * over loopback.
 */
package io.millrace.bench.rpc;
