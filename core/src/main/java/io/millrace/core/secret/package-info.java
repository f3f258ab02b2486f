/**
 * How two processes show each other that they know the cluster's secret without ever sending it:
 * {@link io.millrace.core.secret.SecretProof}. Pure functions over values; the transports carry
 * what they return.
 */
package io.millrace.core.secret;
