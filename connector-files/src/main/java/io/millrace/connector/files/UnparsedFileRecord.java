package io.millrace.connector.files;

/**
 * A record of a file that could not be parsed, as it goes into a side output.
 *
 * @param place where it is in the file: {@code byte 1234}
 * @param bytes the record; empty if the format does not have the bytes of each record
 * @param error why it cannot be parsed
 */
public record UnparsedFileRecord(String file, String place, byte[] bytes, String error) {}
