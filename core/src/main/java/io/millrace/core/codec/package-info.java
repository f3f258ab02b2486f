/**
 * The binary format of messages and of everything that the control plane stores. {@link
 * io.millrace.core.codec.RecordCodec} encodes and decodes records of a fixed table of classes, and
 * nothing else. Component types come from the signatures of the records. No class is looked up by a
 * name from the wire. Bytes that cannot be decoded cause a {@link
 * io.millrace.core.codec.CodecException}.
 *
 * <p>The first messages of a peer are part of its start-up time, so this package uses plain
 * reflection and no lambdas: no method handles or generated classes are created before the first
 * message.
 */
package io.millrace.core.codec;
