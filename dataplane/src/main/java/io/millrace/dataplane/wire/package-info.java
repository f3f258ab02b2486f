/**
 * Records between hosts. {@link io.millrace.dataplane.wire.DataTransport} listens at a host's data
 * port and connects to those of others, one connection per pair and direction; it carries batches
 * as opaque bytes and credits back, and knows nothing of tasks. The bytes travel in the buffers of
 * {@link io.millrace.dataplane.wire.NetworkBufferPool}, of which a deployment has as many as it has
 * credits. Neither side reads anything but the hello before the other has proved that it knows the
 * cluster's secret, which itself is never sent. Only this package touches Netty, and only a host
 * with a data port loads it.
 */
package io.millrace.dataplane.wire;
