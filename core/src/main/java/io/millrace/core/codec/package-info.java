/**
 * Messages and everything the control plane stores, as bytes: {@link
 * io.millrace.core.codec.RecordCodec} writes and reads records of a fixed table of classes, and
 * nothing else. Component types come from the records' own signatures; no class is ever looked up
 * by a name that came over the wire. What cannot be decoded is a {@link
 * io.millrace.core.codec.CodecException}.
 *
 * <p>A peer's first messages are part of its start-up time, so this room uses plain reflection and
 * no lambdas: neither method handles nor generated classes are spun before the first message.
 */
package io.millrace.core.codec;
