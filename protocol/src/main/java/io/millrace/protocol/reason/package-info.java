/**
 * The reasons that components send each other and show to people. {@link
 * io.millrace.protocol.reason.Reason} is the sealed hierarchy; its groups say what a reason is
 * about. Reasons travel in messages and in the journal. They hold numbers, ids and keys of options,
 * no sentences, except for external messages: {@link io.millrace.protocol.reason.ErrorReason} holds
 * that of an exception, {@link io.millrace.protocol.reason.DriverReason} that of a driver. {@link
 * io.millrace.protocol.reason.ApplicationStatus} is the final status of an application.
 */
package io.millrace.protocol.reason;
