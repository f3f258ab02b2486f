package io.millrace.core.codec;

/**
 * Encodes and decodes values of one type.
 *
 * <p>Every value takes at least one byte, so that a count of elements can be checked against the
 * remaining bytes before memory is allocated.
 */
sealed interface TypeCodec
    permits ScalarTypeCodec,
        EnumTypeCodec,
        OptionalTypeCodec,
        CollectionTypeCodec,
        MapTypeCodec,
        RecordTypeCodec,
        SealedTypeCodec,
        ClassTable {

  void write(WireWriter out, Object value);

  Object read(WireReader in);

  /** The codecs of the component types; created if needed. */
  TypeCodec[] parts();
}
