/**
 * Parquet: {@link io.millrace.format.parquet.ParquetFiles} is a format of the connector for files.
 * Records are mapped as {@link io.millrace.format.avro.AvroType} says. Files are read and written
 * through Millrace's file systems; nothing of Hadoop runs. The engine does not have this module; a
 * program packs it into its jar together with Parquet.
 */
package io.millrace.format.parquet;
