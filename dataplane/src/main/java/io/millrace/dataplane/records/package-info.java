/**
 * Serialisation of records and user functions. {@link
 * io.millrace.dataplane.records.RecordBatchCodec} is the entry: it encodes strings and boxed
 * primitives itself and other records with Fory. Only this package uses Fory. {@link
 * io.millrace.dataplane.records.CodecPool} shares codecs between the tasks of a deployment.
 */
package io.millrace.dataplane.records;
