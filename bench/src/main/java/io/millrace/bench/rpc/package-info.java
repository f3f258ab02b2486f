/**
 * What a call between components costs: {@link io.millrace.bench.rpc.RpcBenchmark}, in one process
 * and over loopback.
 */
package io.millrace.bench.rpc;
