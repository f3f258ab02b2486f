/**
 * TLS between the processes of a cluster. {@link io.millrace.core.tls.InternalTls} reads the
 * options and the stores they name; the transports make connections of what it holds. Nothing else
 * knows keys or passwords. {@link io.millrace.core.tls.ClusterAuthority} makes stores for a
 * cluster that has none.
 */
package io.millrace.core.tls;
