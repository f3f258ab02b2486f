/**
 * English texts, rendered in one place. {@link io.millrace.protocol.text.ReasonText} renders
 * reasons and {@link io.millrace.protocol.text.JournalText} journal events, for REST, the command
 * line, logs and exceptions. A sentence has a subject, a verb, the numbers and the option that
 * changes them. No code parses these sentences: it matches on the types. {@link
 * io.millrace.protocol.text.ReasonException} is an exception with a reason, whose message is its
 * text.
 */
package io.millrace.protocol.text;
