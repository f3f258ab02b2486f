/**
 * Base classes without dependencies on other modules: copies of collections in a fixed order
 * ({@link io.millrace.core.OrderedCopies}), byte arrays ({@link io.millrace.core.Bytes}), resources
 * of slots ({@link io.millrace.core.ResourceProfile}) and content hashes ({@link
 * io.millrace.core.Sha256}). The packages below contain ids, configuration, errors, the record
 * codec, class loaders of programs and plugins, file systems, the security context and the proof of
 * the cluster secret.
 */
package io.millrace.core;
