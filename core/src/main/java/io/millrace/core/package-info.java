/**
 * What every other module stands on and what itself stands on nothing: small values that copy their
 * collections in a fixed order ({@link io.millrace.core.OrderedCopies}) and wrap bytes ({@link
 * io.millrace.core.Bytes}), what a slot has or needs ({@link io.millrace.core.ResourceProfile}),
 * and the hash that names content ({@link io.millrace.core.Sha256}). The rooms below hold ids,
 * configuration, errors, the record codec, the class loaders of programs and plugins, file systems,
 * the security context and the proof of the cluster's secret.
 */
package io.millrace.core;
