/**
 * Formats of messages by Jackson: {@link io.millrace.format.jackson.JsonFormat} and {@link
 * io.millrace.format.jackson.CsvFormat}. The engine does not have this module; a program packs it
 * into its jar together with Jackson.
 */
package io.millrace.format.jackson;
