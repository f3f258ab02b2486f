/**
 * English, rendered in one place. {@link io.millrace.protocol.text.ReasonText} renders reasons,
 * {@link io.millrace.protocol.text.JournalText} the entries of the journal, for REST, the command
 * line, logs and exceptions. A sentence has a subject, a verb, the numbers and the option that
 * changes them. Nothing reads these sentences back: code matches on the types. {@link
 * io.millrace.protocol.text.ReasonException} is an error with a reason, whose message is its text.
 */
package io.millrace.protocol.text;
