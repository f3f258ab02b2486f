/**
 * Mutual authentication of two processes by a shared secret that is never sent: {@link
 * io.millrace.core.secret.SecretProof}. Pure functions; the transports send the results.
 */
package io.millrace.core.secret;
