/**
 * Avro: {@link io.millrace.format.avro.AvroFormat} for messages, {@link
 * io.millrace.format.avro.RegistryAvroFormat} for messages whose schemas are in a schema registry,
 * and {@link io.millrace.format.avro.AvroFiles} for files of the connector for files. {@link
 * io.millrace.format.avro.AvroType} maps records of Java. The engine does not have this module; a
 * program packs it into its jar together with Avro.
 */
package io.millrace.format.avro;
