/**
 * Ids that travel between processes: one record type each, so that a job id cannot be passed as an
 * allocation id. Ids have 128 bits and are printed as 32 hex digits. Callers pass the random
 * generator, so that a seed determines all ids.
 */
package io.millrace.core.id;
