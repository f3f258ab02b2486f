/**
 * Serialisation of records and user functions. {@link
 * io.millrace.dataplane.records.RecordBatchCodec} is the entry: it encodes strings and boxed
 * primitives itself and other records with Fory. Only this package uses Fory. {@link
 * io.millrace.dataplane.records.CodecPool} shares codecs between the tasks of a deployment; {@link
 * io.millrace.dataplane.records.StateCodecs} has those for state, whose bytes a later version of a
 * class reads. {@link io.millrace.dataplane.records.ValueCopier} copies values in state.
 */
package io.millrace.dataplane.records;
