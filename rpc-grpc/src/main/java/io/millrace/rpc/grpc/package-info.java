/**
 * The transport between processes: {@link io.millrace.rpc.grpc.GrpcTransport}, set up by {@link
 * io.millrace.rpc.grpc.GrpcSettings}. Each process calls another over one connection of its own,
 * which carries a stream for calls and one for heartbeats; answers come back on the stream of their
 * call. gRPC brings HTTP/2, flow control and keep-alive; the bytes inside are those of the record
 * codec, and none is decoded before the peer has proved that it knows the cluster's secret, which
 * itself is never sent.
 */
package io.millrace.rpc.grpc;
