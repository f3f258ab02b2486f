/**
 * The transport between processes: {@link io.millrace.rpc.grpc.GrpcTransport}, configured by {@link
 * io.millrace.rpc.grpc.GrpcSettings}. Each process calls another over its own connection, which has
 * one stream for calls and one for heartbeats. Answers return on the stream of their call. gRPC
 * provides HTTP/2, flow control and keep-alive. Messages are encoded by the record codec. No
 * message is decoded before the peer has proved that it knows the cluster's secret, which itself is
 * never sent.
 */
package io.millrace.rpc.grpc;
