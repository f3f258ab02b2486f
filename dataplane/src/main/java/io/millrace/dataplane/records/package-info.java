/**
 * Records as bytes. A {@link io.millrace.dataplane.records.RecordBatchCodec} writes and reads
 * batches: strings and boxed primitives in a form of our own, everything else through Fory, which
 * is loaded only when the first such record comes.
 */
package io.millrace.dataplane.records;
