/**
 * TLS between the processes of a cluster, and between REST and its clients. {@link
 * io.millrace.core.tls.InternalTls}, {@link io.millrace.core.tls.RestServerTls} and {@link
 * io.millrace.core.tls.RestClientTls} read the options and the stores they name; the transports
 * make connections of what they hold. Nothing else knows keys or passwords. {@link
 * io.millrace.core.tls.ClusterAuthority} makes stores for a cluster that has none.
 */
package io.millrace.core.tls;
