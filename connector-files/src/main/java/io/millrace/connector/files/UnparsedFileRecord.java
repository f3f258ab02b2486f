package io.millrace.connector.files;

/**
 * A record of a file that could not be parsed, as it goes into a side output.
 *
 * <pre>{@code
 * OutputTag<UnparsedFileRecord> unparsed = new OutputTag<>("unparsed");
 * DataStream<Order> parsed =
 *     env.fromSource(
 *         FileSource.of(LineFormat.of(JsonFormat.of(Order.class)), "/data/orders")
 *             .badRecords(BadFileRecords.sideOutput(unparsed)),
 *         "orders");
 * parsed
 *     .sideOutput(unparsed)
 *     .map(record -> record.file() + ", " + record.place() + ": " + record.error())
 *     .print();
 * }</pre>
 *
 * @param place where it is in the file: {@code byte 1234}
 * @param bytes the record; empty if the format does not have the bytes of each record
 * @param error why it cannot be parsed
 */
public record UnparsedFileRecord(String file, String place, byte[] bytes, String error) {}
