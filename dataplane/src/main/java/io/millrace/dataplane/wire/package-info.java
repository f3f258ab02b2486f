/**
 * Connections between processes. {@link io.millrace.dataplane.wire.DataTransport} is the entry. It
 * listens at the data port and connects to the ports of other processes, with one connection per
 * pair and direction. It carries frames of bytes in one direction and credits in the other, and
 * knows nothing about tasks. Frames travel in buffers of {@link
 * io.millrace.dataplane.wire.NetworkBufferPool}, of which a deployment reserves as many as it has
 * credits.
 *
 * <p>Neither side reads anything but the handshake before the other side has proved that it knows
 * the secret of the cluster; the secret itself is never sent. Only this package uses Netty, and
 * only a process with a data port loads it.
 */
package io.millrace.dataplane.wire;
