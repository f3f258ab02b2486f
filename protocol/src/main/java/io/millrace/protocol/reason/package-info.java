/**
 * The reasons that components give each other and people. {@link
 * io.millrace.protocol.reason.Reason} is the one sealed hierarchy; its groups say what a reason is
 * about. Reasons travel in messages and in the journal. They hold numbers, ids and keys of options,
 * no sentences, except for words of others: {@link io.millrace.protocol.reason.ErrorReason} holds
 * an exception's, {@link io.millrace.protocol.reason.DriverReason} a plug's. {@link
 * io.millrace.protocol.reason.ApplicationStatus} says how an application ended.
 */
package io.millrace.protocol.reason;
